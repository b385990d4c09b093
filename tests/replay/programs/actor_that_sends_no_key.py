"""An actor, which is retried by default, that leaves the key of the provider out."""

import os

import dramatiq
import stripe
from dramatiq.brokers.stub import StubBroker

stripe.api_base = os.environ["API_URL"]
stripe.api_key = "sk_test"
stripe.max_network_retries = 0
broker = StubBroker()
dramatiq.set_broker(broker)


@dramatiq.actor(min_backoff=10, max_backoff=20)
def collect(customer: str, invoice_id: str) -> None:
    """Collect what an invoice asks for."""
    stripe.Charge.create(amount=900, currency="eur", customer=customer)  #! IDM501
