// The very client that the web app ships.
import { createRequire } from "node:module";

const require = createRequire(new URL("../../../../apps/web/package.json", import.meta.url));

export const { io } = require("socket.io-client");
