"""A policy about pictures, and models that know some of them."""

from orchestrator.app.assembly import build_policies
from orchestrator.app.names import names_of
from orchestrator.evaluation import ignore
from orchestrator.inference.fake import FakeInference
from orchestrator.pipeline import Pipeline
from orchestrator.protocols.chat_completions import parse
from orchestrator.telemetry import Telemetry
from tests.app.planes import compiled
from tests.matching.encoded import gif, png, uri

PASSPORT, TERMINAL, CAT = png(1, 1), png(2, 2), png(3, 3)
SVG = uri(b"<svg/>", "svg+xml")
LINK = "https://pictures.example.org/a.png"
VECTORS = {
    "an identity document": [1, 0, 0, 0],
    "a terminal": [0, 1, 0, 0],
    "check my papers": [0, 0, 1, 0],
    "please look at my documents": [0, 0, 0.9, 0.1],
    "tell me a joke": [0, 0, 0, 1],
    "what is this?": [0, 0, 0, 1],
    "hello": [0, 0, 0, 1],
    "": [0, 0, 0, 1],
}
POLICY = """
version: v0.3
providers: {defaults: {default_model: small}}
global:
  images: %s
  router: {signal_deadline: %s}
  model_catalog: {embeddings: {semantic: {embedding_config: {top_k: 0}}}}
routing:
  modelCards: [{name: small}, {name: private}, {name: coder}]
  signals:
    embeddings:
      - {name: papers, threshold: 0.8, candidates: [check my papers]}
      - {name: identity, threshold: 0.8, candidates: [an identity document], query_modality: image}
      - {name: screen, threshold: 0.8, candidates: [a terminal], query_modality: image}
    keywords: [{name: hello, operator: OR, keywords: [hello]}]
  decisions:
    - name: papers_shown
      priority: 30
      rules:
        operator: AND
        conditions: [{type: embedding, name: identity}, {type: embedding, name: papers}]
      modelRefs: [{model: private}]
    - name: terminal_alone
      priority: 20
      rules:
        operator: AND
        conditions:
          - {type: embedding, name: screen}
          - {operator: NOT, conditions: [{type: keyword, name: hello}]}
      modelRefs: [{model: coder}]
    - name: shows_no_papers
      priority: 10
      rules: {operator: NOT, conditions: [{type: embedding, name: identity}]}
      modelRefs: [{model: small}]
"""


def seeing():
    return FakeInference(
        VECTORS,
        pictures={PASSPORT: [0.95, 0.1, 0, 0], TERMINAL: [0.1, 0.95, 0, 0], CAT: [1, 0, 0, 0]},
        known={CAT: 0.2},
        refused={gif(): "a gif that ends within its header"},
    )


def policy(images="{}", deadline=2):
    return compiled(POLICY % (images, deadline))


def pipeline(inference, images="{}", deadline=2, fetch=None, upstream=None):
    policies = build_policies(policy(images, deadline), inference, ignore, fetch=fetch)
    return Pipeline(names_of(policy().config), policies, upstream, Telemetry())


def body(text, *pictures):
    written = [uri(one) if isinstance(one, bytes) else one for one in pictures]
    parts = [{"type": "image_url", "image_url": {"url": one}} for one in written]
    text = [{"type": "text", "text": text}] if text else []
    return {"messages": [{"role": "user", "content": [*text, *parts]}]}


def request(*said):
    return parse({"model": "auto", **body(*said)}, {})
