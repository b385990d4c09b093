import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, before, test } from "node:test";
import { findServer, NotFoundError } from "../src/find";
import type { Wanted } from "../src/find";
import { NO_PYTHON, PYTHON } from "./python";

const nothing: Wanted = {
  paths: [],
  importStrategy: "fromEnvironment",
  interpreter: [],
  selected: undefined,
};
let folder: string;
const log: string[] = [];

/** An environment whose interpreter answers with the folder of its scripts. */
async function environment(name: string, hasServer: boolean) {
  const bin = join(folder, name);
  await mkdir(bin, { recursive: true });
  const python = join(bin, "python");
  await script(python, `echo '["${bin}"]'`);
  const server = join(bin, "idemlint");
  if (hasServer) {
    await script(server, "exit 0");
  }
  return { bin, python, server };
}

async function script(file: string, body: string): Promise<void> {
  await writeFile(file, `#!/bin/sh\n${body}\n`);
  await chmod(file, 0o755);
}

function find(wanted: Partial<Wanted>, path = ""): Promise<string> {
  return findServer({ ...nothing, ...wanted }, (text) => log.push(text), path);
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "idemlint find "));
});

after(() => rm(folder, { recursive: true }));

test("a path of the settings comes first, the first one that can be run", async () => {
  const { server, python } = await environment("a", true);
  const other = await environment("b", true);
  const found = await find({ paths: [join(folder, "none"), server], selected: other.python });
  assert.equal(found, server);
  assert.match(log.join("\n"), /none, from the setting `path`, cannot be run/);
  assert.equal(await find({ paths: [join(folder, "none")], selected: python }), server);
});

test("an interpreter of the settings comes before the selected one", async () => {
  const [set, selected] = [await environment("a", true), await environment("b", true)];
  assert.equal(await find({ interpreter: [set.python], selected: selected.python }), set.server);
  assert.equal(await find({ selected: selected.python }), selected.server);
});

test("PATH comes last, or first where the settings say so", async () => {
  const [selected, installed] = [await environment("a", true), await environment("b", true)];
  const empty = await environment("empty", false);
  const path = [empty.bin, installed.bin].join(delimiter);
  assert.equal(await find({ selected: empty.python }, path), installed.server);
  const wanted = { importStrategy: "fromPath", selected: selected.python } as const;
  assert.equal(await find(wanted, path), installed.server);
});

test("what is not there is told, with what to type", async () => {
  const { python } = await environment("empty", false);
  await assert.rejects(find({ selected: python }), (error: NotFoundError) => {
    const where = `in the environment of ${python} nor on PATH`;
    assert.equal(error.message, `idemlint was not found ${where}.`);
    assert.equal(error.install, `"${python}" -m pip install "idemlint[server]"`);
    return true;
  });
  await assert.rejects(find({}), { install: 'pipx install "idemlint[server]"' });
});

test("an interpreter that cannot be run is told in the log", async () => {
  const missing = join(folder, "no python");
  await assert.rejects(find({ interpreter: [missing] }), NotFoundError);
  assert.match(log.join("\n"), /The interpreter .*no python cannot be run/);
});

test(
  "a real interpreter names its folders of scripts",
  { skip: !PYTHON && NO_PYTHON },
  async () => {
    assert.match(await find({ interpreter: [PYTHON!] }), /idemlint(\.exe)?$/);
  },
);
