# The router, with the Triton of the wheel nvidia-pytriton and the committed models; no torch.
#   docker build -f docker/router.Dockerfile -t tsr-router:0.2.0 .
FROM python:3.12.12-slim-bookworm AS install
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY orchestrator orchestrator
COPY model_repository model_repository
# All dependencies have wheels: this stage needs no compiler.
RUN pip wheel --no-deps --wheel-dir /wheels . \
 && python -m venv /opt/tsr \
 && /opt/tsr/bin/pip install --only-binary=:all: /wheels/*.whl

FROM python:3.12.12-slim-bookworm
RUN useradd --system --uid 10001 --home-dir /var/lib/tsr --create-home tsr
COPY --from=install /opt/tsr /opt/tsr
COPY docker/ready.py /opt/tsr/ready.py
COPY configs /etc/tsr
ENV PATH=/opt/tsr/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
# Triton's state: below $HOME. On a read-only root this is a tmpfs that may execute, see
# docker-compose.yml.
USER 10001:10001
WORKDIR /var/lib/tsr
EXPOSE 8899
# On the management port, which listens within the container alone.
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=3 \
  CMD ["python", "/opt/tsr/ready.py", "http://127.0.0.1:8080/ready"]
ENTRYPOINT ["tsr"]
CMD ["serve", "--config", "/etc/tsr/router.yaml", "--host", "0.0.0.0"]
