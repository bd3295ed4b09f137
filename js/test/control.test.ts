/** The one-shot socket, against a server that the test plays. */

import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { controlRoad } from "../src/transport/control";

let server: Server;
let seen: { url: string; message: Record<string, unknown> }[];
let open = 0;

/** Writes an unmasked text frame of up to 64 KiB. */
function frame(text: string): Buffer {
  const body = Buffer.from(text);
  const head = body.length < 126 ? [0x81, body.length] : [0x81, 126, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from(head), body]);
}

/** Reads a masked text frame. */
function unframe(data: Buffer): string {
  const short = (data[1] ?? 0) & 127;
  const start = short === 126 ? 4 : 2;
  const length = short === 126 ? data.readUInt16BE(2) : short;
  const mask = data.subarray(start, start + 4);
  const body = data.subarray(start + 4, start + 4 + length);
  return Buffer.from(body.map((byte, i) => byte ^ (mask[i % 4] ?? 0))).toString();
}

function accept(request: IncomingMessage, socket: Socket): void {
  const key = createHash("sha1").update(
    `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`,
  );
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key.digest("base64")}\r\n\r\n`,
  );
  open += 1;
  socket.on("close", () => {
    open -= 1;
  });
  socket.on("data", (data) => {
    if ((data[0] ?? 0) % 16 !== 1) {
      socket.end();
      return;
    }
    const message = JSON.parse(unframe(data));
    seen.push({ url: request.url ?? "", message });
    const id = message.header.msg_id;
    // Everything the kernel publishes passes here as well.
    socket.write(
      frame(JSON.stringify({ channel: "iopub", parent_header: { msg_id: id }, content: { noise: true } })),
    );
    socket.write(
      frame(
        JSON.stringify({ channel: "control", parent_header: { msg_id: "other" }, content: { noise: true } }),
      ),
    );
    socket.write(
      frame(
        JSON.stringify({
          channel: "control",
          parent_header: { msg_id: id },
          content: { kind: "alive", view: "v" },
        }),
      ),
    );
  });
}

beforeEach(async () => {
  seen = [];
  open = 0;
  server = createServer();
  server.on("upgrade", (request, socket) => accept(request, socket as Socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const config = document.createElement("script");
  config.id = "jupyter-config-data";
  config.type = "application/json";
  config.textContent = JSON.stringify({
    baseUrl: "/user/ann/",
    wsUrl: `ws://127.0.0.1:${port}/user/ann`,
    token: "t&k",
  });
  document.body.append(config);
});

afterEach(() => {
  document.body.replaceChildren();
  server.closeAllConnections();
  server.close();
});

it("sends one message on the control channel, and closes at its answer", async () => {
  const road = controlRoad("kernel/1");
  const answer = new Promise((resolve) => road?.listen(resolve));
  road?.send({ kind: "beat", view: "v", nonce: "1", turnId: "t" });
  expect(await answer).toEqual({ kind: "alive", view: "v" });
  const [{ url, message } = { url: "", message: {} }] = seen;
  expect(url).toMatch(
    /^\/user\/ann\/api\/kernels\/kernel%2F1\/channels\?session_id=[0-9a-f-]{36}&token=t%26k$/,
  );
  expect(message).toMatchObject({
    channel: "control",
    content: { kind: "beat", view: "v" },
    header: { msg_type: "nbharness_request" },
  });
  await expect.poll(() => open).toBe(0);
});

it("does not exist on a page that no Jupyter server serves", () => {
  expect(controlRoad("")).toBeNull();
  document.body.replaceChildren();
  expect(controlRoad("k")).toBeNull();
});
