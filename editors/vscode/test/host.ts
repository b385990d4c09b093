// A program that runs the extension until it is killed.

import { activate, serverId } from "./harness";

void activate().then(() => process.send?.(serverId()));
