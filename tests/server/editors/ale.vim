" Drives Vim with ALE and the server. The answers go to a file, as JSON.
" Variables: IDEMLINT_COMMAND (JSON list), IDEMLINT_ROOT, IDEMLINT_OUT, IDEMLINT_ALE.
set nocompatible nobackup noswapfile nomore hidden
set encoding=utf-8
let &runtimepath .= ',' . $IDEMLINT_ALE
filetype plugin on
let g:ale_lint_delay = 50
let g:ale_linters_explicit = 1
let g:ale_linters = {'python': ['idemlint']}
let g:ale_lint_on_text_changed = 'always'
let s:command = json_decode($IDEMLINT_COMMAND)

function! s:Root(buffer) abort
  return $IDEMLINT_ROOT
endfunction

function! s:Define() abort
  call ale#linter#Define('python', {
  \   'name': 'idemlint',
  \   'lsp': 'stdio',
  \   'executable': s:command[0],
  \   'command': join(map(copy(s:command), 'shellescape(v:val)'), ' '),
  \   'project_root': function('s:Root'),
  \   'initialization_options': {'settings': {'logLevel': 'info'}},
  \})
endfunction

function! s:Shown() abort
  return map(copy(ale#engine#GetLoclist(bufnr(''))), {_, found -> {
  \   'row': found.lnum - 1, 'column': found.col - 1, 'code': get(found, 'code', ''),
  \   'text': found.text, 'type': found.type}})
endfunction

function! s:WaitFor(count) abort
  for l:turn in range(600)
    if len(ale#engine#GetLoclist(bufnr(''))) == a:count
      break
    endif
    sleep 50m
  endfor
  return s:Shown()
endfunction

let s:out = {}
try
  runtime! plugin/ale.vim
  execute 'edit' fnameescape($IDEMLINT_ROOT . '/tool.py')
  setfiletype python
  call s:Define()
  ALELint
  let s:out.opened = s:WaitFor(1)
  call append(0, '# é 😀')
  ALELint
  for s:turn in range(600)
    let s:found = ale#engine#GetLoclist(bufnr(''))
    if len(s:found) == 1 && s:found[0].lnum == s:out.opened[0].row + 2
      break
    endif
    sleep 50m
  endfor
  let s:out.moved = s:Shown()
  %substitute/str(uuid.uuid4())/order/
  ALELint
  let s:out.cured = s:WaitFor(0)
catch
  let s:out.trouble = v:exception . ' at ' . v:throwpoint
endtry
call writefile([json_encode(s:out)], $IDEMLINT_OUT)
qall!
