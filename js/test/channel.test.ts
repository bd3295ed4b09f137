/** The transport between page and kernel, with a kernel that the test plays. */

import { beforeEach, describe, expect, it } from "vitest";
import { openChannel, type WidgetModel } from "../src/channel";
import type { WireEnvelope } from "../src/envelope";
import { CommTransport, type Road } from "../src/transport/comm";
import type { PageMessage } from "../src/transport/messages";
import type { Link, Reply, Sink } from "../src/transport/transport";

class FakeRoad implements Road {
  readonly sent: PageMessage[] = [];
  private readonly listeners = new Set<(message: unknown) => void>();

  send(message: PageMessage): void {
    this.sent.push(message);
  }

  listen(listener: (message: unknown) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Says something as the kernel would. */
  say(message: object): void {
    for (const listener of this.listeners) listener(message);
  }

  kinds(): string[] {
    return this.sent.map(({ kind }) => kind);
  }

  get isHeard(): boolean {
    return this.listeners.size > 0;
  }
}

class Record implements Sink {
  readonly seqs: number[] = [];
  readonly replies: Reply[] = [];
  readonly links: Link[] = [];

  events(envelopes: readonly WireEnvelope[]): void {
    this.seqs.push(...envelopes.map(({ seq }) => seq));
  }

  reply(reply: Reply): void {
    this.replies.push(reply);
  }

  link(link: Link): void {
    this.links.push(link);
  }
}

const event = (seq: number, type = "notice"): WireEnvelope => ({
  seq,
  turnId: "t",
  at: seq,
  type,
  data: { message: "" },
});
const batch = (...seqs: number[]): object => ({
  kind: "batch",
  turnId: "t",
  events: seqs.map((seq) => event(seq)),
});

let comm: FakeRoad;
let control: FakeRoad;
let tick: () => void;
let sink: Record;
let transport: CommTransport;
let stop: () => void;

function open(withControl = true): void {
  comm = new FakeRoad();
  control = new FakeRoad();
  sink = new Record();
  transport = new CommTransport({
    turnId: "t",
    comm,
    control: withControl ? control : null,
    ticker: (_milliseconds, callback) => {
      tick = callback;
      return () => {
        tick = () => undefined;
      };
    },
  });
  stop = transport.connect(sink);
}

function welcome(events: number[] = [], more: object = {}): object {
  const view = comm.sent[0]?.view;
  const last = events.at(-1) ?? -1;
  const all = events.map((seq) => event(seq));
  return {
    kind: "welcome",
    view,
    turnId: "t",
    secret: "s3",
    lastSeq: last,
    settled: false,
    detached: false,
    events: all,
    more: false,
    ...more,
  };
}

beforeEach(() => open());

describe("hello", () => {
  it("goes out on both roads until it is answered, then a beat on the control road", () => {
    tick();
    expect(comm.kinds()).toEqual(["hello", "hello"]);
    expect(control.kinds()).toEqual(["hello", "hello"]);
    control.say(welcome([0, 1]));
    tick();
    expect(comm.kinds()).toEqual(["hello", "hello"]);
    expect(control.kinds().at(-1)).toBe("beat");
    expect(sink.seqs).toEqual([0, 1]);
  });

  it("uses a nonce of its own each time", () => {
    tick();
    const nonces = control.sent.map((message) => ("nonce" in message ? message.nonce : ""));
    expect(new Set(nonces).size).toBe(2);
  });

  it("beats on the comm road where there is no other", () => {
    open(false);
    comm.say(welcome([0]));
    tick();
    expect(comm.kinds()).toEqual(["hello", "beat"]);
  });

  it("beats on the comm road where the kernel does not answer on the other", () => {
    comm.say(welcome([0]));
    for (let i = 0; i < 5; i += 1) tick();
    expect(comm.kinds().filter((kind) => kind === "beat").length).toBe(5);
    expect(sink.links.at(-1)?.state).toBe("live");
  });
});

describe("events", () => {
  it("come once and in order, whichever road brings them", () => {
    comm.say(welcome([0, 1]));
    control.say(welcome([0, 1]));
    comm.say(batch(1, 2));
    comm.say(batch(2, 3));
    expect(sink.seqs).toEqual([0, 1, 2, 3]);
  });

  it("that are missing are asked for, once until the answer or the next tick", () => {
    comm.say(welcome([0]));
    comm.say(batch(3));
    comm.say(batch(4));
    expect(control.kinds().filter((kind) => kind === "resync")).toEqual(["resync"]);
    tick();
    expect(control.kinds().filter((kind) => kind === "resync").length).toBe(2);
    expect(sink.seqs).toEqual([0]);
    control.say(welcome([1, 2, 3]));
    expect(sink.seqs).toEqual([0, 1, 2, 3, 4]);
  });

  it("come in portions when there are many", () => {
    control.say(welcome([0, 1], { more: true, lastSeq: 3 }));
    const asked = control.sent.at(-1);
    expect(asked).toMatchObject({ kind: "resync", lastSeq: 1 });
    control.say(welcome([2, 3]));
    expect(sink.seqs).toEqual([0, 1, 2, 3]);
    tick();
    expect(control.kinds().at(-1)).toBe("beat");
  });

  it("of another turn or for another view are not ours", () => {
    control.say(welcome([0], { view: "another" }));
    comm.say({ ...batch(0), turnId: "u" });
    comm.say({ kind: "something new" });
    for (const odd of [
      null,
      3,
      "text",
      [],
      { kind: "batch", events: "x" },
      { kind: "batch", turnId: "t", events: [{}] },
    ]) {
      comm.say(odd as object);
    }
    expect(sink.seqs).toEqual([]);
  });
});

describe("an input", () => {
  it("waits for the secret, then goes out on both roads with one id", () => {
    transport.send("i1", { type: "abort" });
    expect(comm.kinds()).toEqual(["hello"]);
    control.say(welcome());
    const expected = { kind: "input", inputId: "i1", secret: "s3", turnId: "t", input: { type: "abort" } };
    expect(comm.sent.at(-1)).toMatchObject(expected);
    expect(control.sent.at(-1)).toMatchObject(expected);
    control.say(welcome());
    expect(comm.kinds().filter((kind) => kind === "input").length).toBe(1);
  });

  it("is answered once", () => {
    control.say(welcome());
    transport.send("i1", { type: "abort" });
    const reply = { kind: "reply", inputId: "i1", status: "conflict", message: "m", recorded: "approved" };
    control.say(reply);
    comm.say({ ...reply, status: "ok" });
    control.say({ ...reply, inputId: "another" });
    expect(sink.replies).toEqual([reply]);
  });
});

describe("the kernel", () => {
  it("is gone after three beats without an answer, and back when it says something", () => {
    control.say(welcome([0]));
    for (let i = 0; i < 3; i += 1) tick();
    expect(sink.links.at(-1)?.state).toBe("live");
    tick();
    expect(sink.links.at(-1)?.state).toBe("gone");
    expect(control.kinds().at(-1)).toBe("hello");
    control.say(welcome([1]));
    expect(sink.links.at(-1)?.state).toBe("live");
    expect(sink.seqs).toEqual([0, 1]);
  });

  it("is gone at once when it does not know the turn", () => {
    control.say(welcome([0]));
    control.say({ kind: "reply", inputId: "", status: "invalid", message: "no such turn", recorded: "" });
    expect(sink.links.at(-1)?.state).toBe("gone");
  });

  it("is not gone because the comm road is silent while it computes", () => {
    open(false);
    comm.say(welcome([0]));
    for (let i = 0; i < 10; i += 1) tick();
    expect(sink.links.at(-1)?.state).toBe("live");
  });

  it("says when the cell gave way", () => {
    control.say(welcome([0]));
    comm.say({ kind: "detached", turnId: "t" });
    expect(sink.links.at(-1)?.detached).toBe(true);
  });

  it("is left alone once the turn has ended", () => {
    control.say(welcome([0]));
    comm.say({ kind: "batch", turnId: "t", events: [event(1, "turn.completed")] });
    const before = control.sent.length;
    for (let i = 0; i < 5; i += 1) tick();
    expect(control.sent.length).toBe(before);
    expect(sink.links.at(-1)?.state).toBe("live");
  });
});

it("stops listening when it is closed", () => {
  stop();
  expect(comm.isHeard || control.isHeard).toBe(false);
});

it("carries on when the model has no comm any more", () => {
  const model: WidgetModel = {
    get: () => "x",
    on: () => undefined,
    off: () => undefined,
    send: () => {
      throw new Error("no comm");
    },
  };
  const close = openChannel(model).connect(sink);
  close();
  expect(sink.seqs).toEqual([]);
});
