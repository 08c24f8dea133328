"""Unleash's SDK for Python.

Each line of stdin is `evaluate FEATURE USERS` or `purchase COUNT`. It answers with what the SDK has returned so far: evaluations
by feature.
"""

import json
import os
import sys

from UnleashClient import UnleashClient

app_name = os.environ["SDK_APP_NAME"]
client = UnleashClient(
    url=os.environ["SDK_URL"] + "/api",
    app_name=app_name,
    instance_id=app_name,
    refresh_interval=1,
    metrics_interval=1,
    custom_headers={"Authorization": os.environ["SDK_TOKEN"]},
)
client.initialize_client()
if hasattr(client, "impact_metrics"):  # older ones have none
    client.impact_metrics.define_counter("purchases", "Completed purchases")
ledger = {}


def evaluate(feature, user):
    """Requesting a variant is an evaluation too."""
    sums = ledger.setdefault(feature, {"yes": 0, "no": 0, "variants": {}})
    context = {"userId": f"user-{user}"}
    variant = client.get_variant(feature, context)
    for is_yes in (client.is_enabled(feature, context), variant["feature_enabled"]):
        sums["yes" if is_yes else "no"] += 1
    sums["variants"][variant["name"]] = sums["variants"].get(variant["name"], 0) + 1


for line in sys.stdin:
    command, *words = line.split()
    if command == "purchase":
        client.impact_metrics.increment_counter("purchases", int(words[0]))
    else:
        for user in range(int(words[1])):
            evaluate(words[0], user)
    print(json.dumps(ledger), flush=True)
client.destroy()
