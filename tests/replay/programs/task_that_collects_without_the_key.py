"""A task that a worker runs again collects twice."""

import os

import stripe
from celery import Celery

stripe.api_base = os.environ["API_URL"]
stripe.api_key = "sk_test"
stripe.max_network_retries = 0
app = Celery("billing", broker="memory://", backend="cache+memory://")


@app.task(autoretry_for=(stripe.APIConnectionError,), max_retries=2, default_retry_delay=0)
def collect(customer: str, invoice_id: str) -> str:
    """Collect what an invoice asks for."""
    done = stripe.Charge.create(amount=900, currency="eur", customer=customer)  #! IDM501
    return done.id
