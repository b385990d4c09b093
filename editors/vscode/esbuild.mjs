// Bundles the extension into one file; with `--tests` each file of tests as well, beside a stand-in
// for the module `vscode`, which only the editor has.
import { build } from "esbuild";

const shared = {
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  sourcemap: "inline",
};
const flags = new Set(process.argv.slice(2));

await build({
  ...shared,
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  external: ["vscode"],
  minify: flags.has("--minify"),
  sourcemap: !flags.has("--minify") && "inline",
});
if (flags.has("--tests")) {
  await build({
    ...shared,
    entryPoints: ["test/*.test.ts", "test/host.ts"],
    outdir: "out",
    alias: { vscode: "./test/vscode.ts" },
  });
}
