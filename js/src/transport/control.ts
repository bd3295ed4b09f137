/**
 * The road that is open while the kernel computes: a one-shot WebSocket to the Jupyter server's own kernel channels that
 * carries one message on the control channel, which the kernel answers from a thread of its own.
 *
 * The socket closes at the answer, because everything the kernel publishes arrives on it as well.
 */

import { uuid } from "../uuid";
import type { Road } from "./comm";
import type { PageMessage } from "./messages";

/** Asks a kernel one thing; `null` when no answer came. */
export type Ask = (message: PageMessage) => Promise<unknown>;

const REQUEST = "nbharness_request";
const TIMEOUT_MS = 10_000;

/** Returns the road, or `null` where the page is not served by a Jupyter server (VS Code, Colab, a saved page). */
export function controlRoad(kernelId: string): Road | null {
  const base = kernelId === "" ? null : socketBase();
  if (base === null) return null;
  const listeners = new Set<(message: unknown) => void>();
  return {
    send: (message) =>
      exchange(base(kernelId), message, (answer) => {
        for (const listener of answer === null ? [] : listeners) listener(answer);
      }),
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Returns how to ask a kernel without a connection to one of its turns, or `null` as `controlRoad` does. */
export function askOnControl(kernelId: string): Ask | null {
  const base = kernelId === "" ? null : socketBase();
  return base && ((message) => new Promise((resolve) => exchange(base(kernelId), message, resolve)));
}

/** Returns a function from kernel id to address, read from the page's Jupyter configuration. */
function socketBase(): ((kernelId: string) => URL) | null {
  const node = document.getElementById("jupyter-config-data");
  if (!node?.textContent) return null;
  const config: Record<string, unknown> = JSON.parse(node.textContent);
  const read = (name: string): string => (typeof config[name] === "string" ? config[name] : "");
  const http = new URL(read("baseUrl") || "/", location.origin);
  const base = read("wsUrl") || http.href.replace(/^http/, "ws");
  return (kernelId) => {
    const address = new URL(
      `api/kernels/${encodeURIComponent(kernelId)}/channels`,
      base.endsWith("/") ? base : `${base}/`,
    );
    address.searchParams.set("session_id", uuid());
    if (read("token") !== "") address.searchParams.set("token", read("token"));
    return address;
  };
}

/** Calls `onAnswer` with the answer, and with `null` when the socket is closed or took too long. */
function exchange(address: URL, message: PageMessage, onAnswer: (content: unknown) => void): void {
  const socket = new WebSocket(address);
  const id = uuid();
  const timeout = setTimeout(() => socket.close(), TIMEOUT_MS);
  socket.addEventListener("open", () => socket.send(JSON.stringify(request(id, message))));
  socket.addEventListener("close", () => {
    clearTimeout(timeout);
    onAnswer(null);
  });
  socket.addEventListener("message", ({ data }) => {
    const answer = readAnswer(data, id);
    if (answer === undefined) return;
    onAnswer(answer);
    socket.close();
  });
}

/** A message of the Jupyter protocol, in the framing that a socket without a subprotocol speaks. */
function request(id: string, content: PageMessage): object {
  return {
    channel: "control",
    header: {
      msg_id: id,
      msg_type: REQUEST,
      session: id,
      username: "",
      version: "5.4",
      date: new Date().toISOString(),
    },
    parent_header: {},
    metadata: {},
    content,
    buffers: [],
  };
}

/** Returns the content of the answer to message `id`, `undefined` for anything else that passes on the socket. */
function readAnswer(data: unknown, id: string): unknown {
  if (typeof data !== "string" || !data.includes(id)) return undefined;
  const {
    channel,
    parent_header: parent,
    content,
  } = JSON.parse(data) as {
    channel?: string;
    parent_header?: { msg_id?: string };
    content?: unknown;
  };
  return channel === "control" && parent?.msg_id === id ? content : undefined;
}
