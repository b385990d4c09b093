/** The interpreter whose environment has `idemlint[server]`, where tests are to run the real one. */
export const PYTHON = process.env["IDEMLINT_PYTHON"];
export const NO_PYTHON = "IDEMLINT_PYTHON names no interpreter that has idemlint[server]";
