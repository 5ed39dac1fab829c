"""A semantic router for chat requests.

    errors types registry telemetry config | protocols matching inference
    signals -> projections -> evaluation -> decision -> selection -> upstream -> pipeline
    server probes demo -> app -> cli

Signals read a request, projections derive facts from them, a decision picks the policy, a
selection picks the model, the upstream answers. `pipeline.py` tells that story; importing this
package does nothing.
"""
