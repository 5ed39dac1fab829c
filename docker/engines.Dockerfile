# Builds engines. Two targets:
#   torch     checkpoints to ONNX, on a CPU (the extra `engines`): what `make engines` runs
#   tensorrt  ONNX to TensorRT plans, and the Triton that serves them: one image, since a plan is read
#             by the TensorRT that built it
#   docker build -f docker/engines.Dockerfile --target tensorrt -t tsr-triton:0.2.0 .
FROM python:3.12.12-slim-bookworm AS torch
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN useradd --uid 10001 --home-dir /opt/tsr --create-home tsr
WORKDIR /opt/tsr
COPY --chown=10001:10001 pyproject.toml README.md LICENSE NOTICE ./
COPY --chown=10001:10001 orchestrator orchestrator
COPY --chown=10001:10001 build_engines build_engines
COPY --chown=10001:10001 model_repository model_repository
RUN pip install -e '.[engines]'
USER 10001:10001
ENTRYPOINT ["python", "-m", "build_engines"]
CMD ["--help"]

FROM nvcr.io/nvidia/tritonserver:25.12-py3 AS tensorrt
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /opt/tsr
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY orchestrator orchestrator
COPY build_engines build_engines
COPY model_repository model_repository
COPY docker/tensorrt-python.sh docker/engines.sh docker/ready.py ./
# Beside the image's own packages, none of which is replaced. The .pth is for Triton's Python
# processes: some releases of its Python backend do not read PYTHONPATH.
RUN python3 -m pip install --target /opt/site '.[gpu]' \
 && sh tensorrt-python.sh /opt/site \
 && echo /opt/site >"$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/tsr.pth" \
 && mkdir /models && chown 1000:1000 /models
ENV PYTHONPATH=/opt/tsr:/opt/site PYTHONDONTWRITEBYTECODE=1
# The image's user triton-server. A new volume on /models is then its own.
USER 1000:1000
EXPOSE 8001
CMD ["bash", "/opt/tsr/engines.sh"]
