"""The SDK of OpenFeature for Python, with the official hook and exporter, and a file of flagd as the flag system.

Each line of stdin is a number of users, for whom it evaluates all flags. It answers with what the SDK has returned so far:
evaluations by feature, those that did not fail, and by reason. At the end of stdin it sends what waits.
"""

import json
import os
import sys
import time

from openfeature import api
from openfeature.contrib.hook.opentelemetry import TracingHook
from openfeature.contrib.provider.flagd import FlagdProvider
from openfeature.contrib.provider.flagd.config import ResolverType
from openfeature.evaluation_context import EvaluationContext
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

ledger = {"usage": {}, "successes": {}, "reasons": {}}


def add(feature, is_yes, details):
    reason = str(details.reason)
    why = f"{feature} {reason} {details.error_code or ''}".lower()
    ledger["reasons"][why] = ledger["reasons"].get(why, 0) + 1
    for usage in [ledger["usage"]] + ([] if details.error_code else [ledger["successes"]]):
        sums = usage.setdefault(feature, {"yes": 0, "no": 0, "variants": {}})
        sums["yes" if is_yes else "no"] += 1
        if details.variant:
            sums["variants"][details.variant] = sums["variants"].get(details.variant, 0) + 1


def evaluate_all(client, users):
    for user in range(users):
        context = EvaluationContext(targeting_key=str(user))
        with tracer.start_as_current_span("a request"):
            for key in ["basket", "checkout", "retired", "missing"]:
                details = client.get_boolean_details(key, False, context)
                add(key, details.value, details)
            for key in ["colour", "limit"]:
                details = client.get_string_details(key, "none", context)
                add(key, str(details.reason) not in ("ERROR", "DEFAULT", "DISABLED"), details)
            details = client.get_integer_details("limit", 0, context)
            add("limit", str(details.reason) != "ERROR", details)
        time.sleep(0.001)


provider = TracerProvider()
provider.add_span_processor(
    BatchSpanProcessor(OTLPSpanExporter(), max_queue_size=100_000, max_export_batch_size=50, schedule_delay_millis=300)
)
trace.set_tracer_provider(provider)
tracer = trace.get_tracer("shop")
api.set_provider(
    FlagdProvider(resolver_type=ResolverType.FILE, offline_flag_source_path=os.environ["FLAGD_OFFLINE_FLAG_SOURCE_PATH"])
)
api.add_hooks([TracingHook()])
flags = api.get_client()

for line in sys.stdin:
    evaluate_all(flags, int(line))
    print(json.dumps(ledger), flush=True)
provider.shutdown()
api.shutdown()
