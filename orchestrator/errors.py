"""Every deliberate exception, split by whose fault it is.

RouterError
├── RequestError            the client's: 400 unless a subclass says otherwise
│   ├── MissingCredential   401, no key for the backend
│   ├── Forbidden           403, the caller may not
│   ├── ModelNotFound       404, no such model name
│   ├── UnreadableInput     422, a text of which a model reads nothing, where only that was asked
│   ├── UnreadableImage     a picture is not read, and the policy wants that said
│   └── BodyTooLarge        413
├── NoRoute                 the policy's: it names no model for this request; 400, as the reference
├── NoCandidate             503, the limits of the policy leave no model for now
├── ConfigError             the operator's: the policy file cannot be used; carries every problem
│   ├── FileGone            there is none
│   └── NotWritten          it, or an earlier one, cannot be written
├── InferenceError          the model server's: a signal becomes unknown; APIs that ask it say 503
│   ├── InferenceTimeout    no answer before the deadline
│   ├── InferenceUnavailable  no server, or the model is not loaded
│   ├── ModelUntrusted      its answers differ from the reference model's
│   ├── InvalidScore        an answer is no probability
│   ├── UnreadableText      the text is in a script that the model does not read
│   ├── ImageRefused        400 where it is not a signal's: a picture that is not read
│   └── ImageNotFetched     a picture that a URL names cannot be had
├── UpstreamError           the backend's: 502
│   ├── UpstreamUnavailable 503, no backend accepted the request
│   └── UpstreamTimeout     504
├── ServerStartError        the embedded tritonserver cannot run here
├── NotStarted              503, the router is starting
├── NotReloaded             503, a policy is right and cannot come into force
└── Unavailable             503, the endpoint needs a model that does not answer

`status`, `kind` and `code` are the HTTP status, the OpenAI error `type` and `code`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

QUOTED = 100  # characters of a name that a client wrote


def quoted(name: str) -> str:
    """As much of a name as an error quotes."""
    return name if len(name) <= QUOTED else f"{name[:QUOTED]}..."


class RouterError(Exception):
    status: ClassVar[int] = 500
    kind: ClassVar[str] = "server_error"
    code: ClassVar[str] = "internal_error"


class RequestError(RouterError):
    """The request cannot be served as sent. `param` names the offending field."""

    status = 400
    kind = "invalid_request_error"
    code = "invalid_request"

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.param = param


class MissingCredential(RequestError):
    status = 401
    kind = "authentication_error"
    code = "missing_provider_credential"


class Forbidden(RequestError):
    status = 403
    kind = "permission_error"
    code = "forbidden"


class ModelNotFound(RequestError):
    status = 404
    code = "model_not_found"


class UnreadableInput(RequestError):
    status = 422
    code = "unreadable_text"


class UnreadableImage(RequestError):
    code = "image_refused"


class BodyTooLarge(RequestError):
    status = 413
    code = "request_too_large"


class NoRoute(RouterError):
    """Nothing matched, or what matched names no model, and there is no default model.

    The status is the reference router's; a 5xx would make clients repeat a request that cannot
    succeed. Type and code say that the fault is not the client's.
    """

    status = 400
    kind = "routing_error"
    code = "no_route"


class NoCandidate(RouterError):
    """Every candidate breaks the policy's limits, and it says to fail; that may pass."""

    status = 503
    kind = "routing_error"
    code = "no_candidate"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a config file."""

    path: str  # YAML path: routing.decisions[3].rules.conditions[0].name
    message: str  # what was found and what would be right, one sentence
    line: int | None = None  # 1-based
    file: str | None = None
    hint: str | None = None  # nearest known name, or the fix
    severity: Literal["error", "warning", "note"] = "error"
    rule: str = ""  # of the analysis (analysis/remarks.py); empty: the file is checked for it

    def __str__(self) -> str:
        place = f"{self.file or '<config>'}:{self.line or '?'}"
        hint = f" ({self.hint})" if self.hint else ""
        kind = "" if self.severity == "error" else f"{self.severity}: "
        return f"{place}: {kind}{self.path}: {self.message}{hint}"


class ConfigError(RouterError):
    """The policy cannot be used. `problems` holds all of them, in file order."""

    code = "config_error"

    def __init__(self, message: str, problems: tuple[Problem, ...] = ()) -> None:
        super().__init__("\n".join([message, *map(str, problems)]) if problems else message)
        self.problems = problems


class FileGone(ConfigError):
    """There is no policy file where one should be."""


class NotWritten(ConfigError):
    """A policy file, or a copy of an earlier one, cannot be written."""


class InferenceError(RouterError):
    status = 503
    code = "inference_error"


class InferenceTimeout(InferenceError):
    code = "inference_timeout"


class InferenceUnavailable(InferenceError):
    code = "inference_unavailable"


class ModelUntrusted(InferenceError):
    code = "model_untrusted"


class InvalidScore(InferenceError):
    code = "invalid_score"


class UnreadableText(InferenceError):
    """So much of a text is in a script that the model does not read that it says nothing of it,
    whoever asks and however often."""

    code = "unreadable_text"


class ImageRefused(InferenceError):
    """A picture that the model does not read, whoever asks and however often.

    The message goes on from "the picture is": `empty`, `a png that is cut short`.
    """

    status = 400
    kind = "invalid_request_error"
    code = "image_refused"


class ImageNotFetched(InferenceError):
    code = "image_not_fetched"


class UpstreamError(RouterError):
    status = 502
    kind = "upstream_error"
    code = "upstream_error"


class UpstreamUnavailable(UpstreamError):
    status = 503
    code = "upstream_unavailable"


class UpstreamTimeout(UpstreamError):
    status = 504
    code = "upstream_timeout"


class ServerStartError(RouterError):
    code = "triton_start_error"


class NotStarted(RouterError):
    status = 503
    code = "not_started"


class NotReloaded(RouterError):
    """A policy without mistakes that cannot take the place of the one in force, which stays."""

    status = 503
    code = "not_reloaded"


class Unavailable(RouterError):
    """`reason` is the code of the error's body. `retry_after`, in seconds, is None where trying
    again would not help.
    """

    status = 503
    code = "unavailable"

    def __init__(self, reason: str, message: str, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.retry_after = retry_after
