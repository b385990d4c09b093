-- Drives Neovim with the server: what is shown, what a fix makes of the buffer. The answers go to a
-- file, as JSON. Variables: IDEMLINT_COMMAND (JSON list), IDEMLINT_ROOT, IDEMLINT_OUT.
local command = vim.fn.json_decode(vim.env.IDEMLINT_COMMAND)
local out = {}

local function attach(buffer)
  local config = {
    name = "idemlint",
    cmd = command,
    root_dir = vim.env.IDEMLINT_ROOT,
    workspace_folders = {
      { uri = vim.uri_from_fname(vim.env.IDEMLINT_ROOT), name = "project" },
    },
    init_options = { settings = { logLevel = "info" } },
  }
  if vim.lsp.start then
    return vim.lsp.start(config, { bufnr = buffer })
  end
  local id = vim.lsp.start_client(config)
  vim.lsp.buf_attach_client(buffer, id)
  return id
end

local function shown()
  local found = {}
  for _, entry in ipairs(vim.diagnostic.get(0)) do
    local lsp = entry.user_data and entry.user_data.lsp or {}
    table.insert(found, {
      code = lsp.code or entry.code,
      message = entry.message,
      row = entry.lnum,
      column = entry.col,
      severity = entry.severity,
      source = entry.source,
      related = #(lsp.relatedInformation or {}),
    })
  end
  return found
end

local function wait_for(count)
  vim.wait(30000, function() return #vim.diagnostic.get(0) == count end, 50)
  return shown()
end

local function request(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 30000) or {}
  for _, answer in pairs(answers) do
    return answer.result
  end
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
end

local function run()
  vim.cmd("edit " .. vim.fn.fnameescape(vim.env.IDEMLINT_ROOT .. "/tool.py"))
  attach(0)
  out.opened = wait_for(1)
  local place = { line = out.opened[1].row, character = out.opened[1].column }
  local document = { uri = vim.uri_from_bufnr(0) }
  out.hover = request("textDocument/hover", { textDocument = document, position = place })
  local actions = request("textDocument/codeAction", {
    textDocument = document,
    range = { start = place, ["end"] = place },
    context = { diagnostics = {} },
  })
  out.actions = vim.tbl_map(function(action) return action.title end, actions)
  local client = vim.lsp.get_client_by_id(1) or {}
  out.encoding = client.offset_encoding or "utf-16"
  vim.lsp.util.apply_workspace_edit(actions[1].edit, out.encoding)
  out.after_fix = wait_for(0)
  out.fixed = text()
  vim.cmd("silent undo")
  out.after_undo = wait_for(1)
  -- a line is added above by hand: the finding moves with it
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { "# é 😀" })
  local before = out.opened[1].row
  vim.wait(30000, function()
    local found = vim.diagnostic.get(0)
    return #found == 1 and found[1].lnum == before + 1
  end, 50)
  out.moved = shown()
  -- a half-typed function at the end
  vim.api.nvim_buf_set_lines(0, -1, -1, false, { "", "def later(a, b:" })
  vim.wait(30000, function() return #vim.diagnostic.get(0) > 1 end, 50)
  out.half_typed = shown()
  vim.cmd("bdelete!")
end

local ok, trouble = pcall(run)
out.trouble = ok and vim.NIL or tostring(trouble)
local file = io.open(vim.env.IDEMLINT_OUT, "w")
file:write(vim.fn.json_encode(out))
file:close()
vim.cmd("qall!")
