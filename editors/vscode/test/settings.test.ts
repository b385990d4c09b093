import assert from "node:assert/strict";
import { test } from "node:test";
import { initializationOptions, isCheckedOnSave, Variables } from "../src/settings";
import type { Source } from "../src/settings";

const shop = { name: "shop", path: "/home/me/shop", uri: "file:///home/me/shop" };
const till = { name: "till", path: "/home/me/till", uri: "file:///home/me/till" };

function source(values: Record<string, unknown>): Source {
  return {
    get: (name: string) => (name in values ? values[name] : `default of ${name}`),
    inspect: (key: string) => ({ key, globalValue: values[key] }),
  } as Source;
}

test("only what is set is sent", () => {
  const set = { "lint.select": ["IDM1"], fixAll: false, "lint.preview": null };
  const options = initializationOptions(source(set), []);
  assert.deepEqual(options, {
    settings: [],
    globalSettings: { "lint.select": ["IDM1"], "lint.preview": null, fixAll: false },
  });
});

test("settings of the client are not sent", () => {
  const set = { path: ["/x"], interpreter: ["/y"], importStrategy: "fromPath", enable: true };
  assert.deepEqual(initializationOptions(source(set), []).globalSettings, {});
});

test("of two names for the same the newer one counts, as the server reads the last", () => {
  const options = initializationOptions(source({ "lint.run": "onType", run: "onSave" }), []);
  assert.deepEqual(Object.keys(options.globalSettings), ["run", "lint.run"]);
  assert.equal(isCheckedOnSave(source({ "lint.run": "onType", run: "onSave" })), false);
  assert.equal(isCheckedOnSave(source({ run: "onSave" })), true);
  assert.equal(isCheckedOnSave(source({})), false);
});

test("a folder is named where it differs from the rest", () => {
  const rest = source({ "lint.select": ["IDM1"] });
  const options = initializationOptions(rest, [
    { folder: shop, source: rest },
    { folder: till, source: source({ "lint.select": ["IDM2"] }) },
  ]);
  assert.deepEqual(options.settings, [{ workspace: till.uri, "lint.select": ["IDM2"] }]);
});

test("variables are replaced, by folder", () => {
  const both = source({ configuration: "${workspaceFolder}/idemlint.toml" });
  const options = initializationOptions(both, [{ folder: shop, source: both }]);
  assert.deepEqual(options.globalSettings, {});
  assert.deepEqual(options.settings, [
    { workspace: shop.uri, configuration: "/home/me/shop/idemlint.toml" },
  ]);
});

test("each kind of variable", () => {
  const variables = new Variables([shop, till], shop, { HOME: "/home/me", BIN: "/bin" });
  const cases: [string, string | undefined][] = [
    ["${workspaceFolder}/a", "/home/me/shop/a"],
    ["${workspaceFolder:till}/a", "/home/me/till/a"],
    ["${workspaceFolder:none}/a", undefined],
    ["${userHome}${env:BIN}${env:NONE}", "/home/me/bin"],
    ["${other} $HOME {x}", "${other} $HOME {x}"],
  ];
  for (const [text, expected] of cases) {
    assert.equal(variables.expand(text), expected, text);
  }
});

test("what is no text stays, and a list loses what has no value", () => {
  const variables = new Variables([]);
  assert.deepEqual(variables.expand(["${workspaceFolder}/a", "b"]), ["b"]);
  const table = { lint: { select: ["${workspaceFolder}"] } };
  assert.equal(variables.expand(table), table);
  assert.equal(variables.expand(false), false);
});
