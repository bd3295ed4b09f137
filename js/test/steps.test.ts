import { expect, it } from "vitest";
import { finished } from "../demo/turns";
import { RowTree } from "../src/rows";
import { foldAll } from "../src/state";
import { splitSteps } from "../src/view/steps";

it("leaves the answer in sight, also when what changed is told after it", () => {
  const tree = new RowTree();
  tree.update(foldAll(finished().envelopes).items);
  const { steps, answer } = splitSteps(tree.top.peek());
  expect(answer.map(({ item }) => item.peek().kind)).toEqual(["message", "changes"]);
  expect(steps.at(-1)?.item.peek().kind).toBe("tool");
});
