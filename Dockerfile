FROM python:3.11-slim AS build
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.11-slim
RUN useradd --system --uid 10001 --create-home graphrag
COPY constraints.txt /tmp/constraints.txt
COPY --from=build /wheels /tmp/wheels
RUN pip install --no-cache-dir --constraint /tmp/constraints.txt \
        "surreal-graphrag[cli,local,serve] @ file://$(ls /tmp/wheels/*.whl)" \
    && rm -r /tmp/wheels /tmp/constraints.txt
USER graphrag
WORKDIR /home/graphrag
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as web; web.urlopen('http://127.0.0.1:8000/health', timeout=3)"]
ENTRYPOINT ["surreal-graphrag"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
