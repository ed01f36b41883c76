// Reads {secret, body, headers} from the standard input and says whether Standard Webhooks accepts
// the request.

import { createRequire } from "node:module";
import { text } from "node:stream/consumers";

const require = createRequire(new URL("../../../../apps/web/package.json", import.meta.url));
const { Webhook, WebhookVerificationError } = require("standardwebhooks");

const { secret, body, headers } = JSON.parse(await text(process.stdin));
try {
  new Webhook(secret).verify(body, headers);
  console.log("accepted");
} catch (error) {
  if (!(error instanceof WebhookVerificationError)) throw error;
  console.log("refused");
}
