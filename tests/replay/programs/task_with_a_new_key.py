"""A task that a worker runs again makes another key each time."""

import os
import uuid

import stripe
from celery import Celery

stripe.api_base = os.environ["API_URL"]
stripe.api_key = "sk_test"
stripe.max_network_retries = 0
app = Celery("billing", broker="memory://", backend="cache+memory://")


@app.task(autoretry_for=(stripe.APIConnectionError,), max_retries=2, default_retry_delay=0)
def refund(charge: str) -> str:
    """Refund a charge."""
    return stripe.Refund.create(charge=charge, idempotency_key=uuid.uuid4().hex).id  #! IDM101


def refund_all(charges: list[str]) -> None:
    """Refund many charges."""
    for charge in charges:
        refund.delay(charge)
