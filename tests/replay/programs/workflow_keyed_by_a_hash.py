"""A workflow whose key is a hash that another process does not share."""

import os
import sys

import stripe
from dbos import DBOS, SetWorkflowID

stripe.api_base = os.environ["API_URL"]
stripe.api_key = "sk_test"
stripe.max_network_retries = 0
DBOS(
    config={
        "name": "payouts",
        "system_database_url": "sqlite:///payouts.sqlite3",
        "run_admin_server": False,
        "application_version": "1",
        "executor_id": "one",
    }
)


@DBOS.step()
def pay(account: str, key: str) -> str:
    """Pay a seller; the process may end before the answer is kept."""
    done = stripe.Transfer.create(
        amount=500, currency="eur", destination=account, idempotency_key=key
    )
    if os.environ.get("CRASH"):
        os._exit(9)
    return done.id


@DBOS.workflow()
def pay_out(account: str, month: str) -> str:
    """Pay a seller once a month."""
    return pay(account, str(hash((account, month))))  #! IDM104


if __name__ == "__main__":
    DBOS.launch()
    with SetWorkflowID(sys.argv[1]):
        handle = DBOS.start_workflow(pay_out, sys.argv[1], "2026-12")
    handle.get_result()
    DBOS.destroy()
