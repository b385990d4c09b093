"""Why a module does not parse, in Ruff's words and at Ruff's place.

Whether it parses is decided by Python. Only a module that it refuses is read again, by a parser
that words, places and survives errors as Ruff's does: it reads the grammar of the newest Python,
builds no tree and, where something is missing, goes on as if it stood there. So an error reads the
same under every Python. What such a reading accepts is newer than the running Python, or beyond its
limits.

The order in which the parser asks its questions is that of `ruff_python_parser` (MIT licence,
Astral Software Inc.): it decides which of two possible errors is reported, and where.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import enum
import functools
import itertools
import keyword
import re
import symtable
import sys
import unicodedata
import warnings
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from idemlint.diagnostic import Position, Range
from idemlint.source.text import SourceText

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["SyntaxProblem", "syntax_errors"]


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """One syntax error: its place, in rows and columns of the file, and what is wrong."""

    range: Range
    message: str


def syntax_errors(text: str, *, first_row: int = 1) -> list[SyntaxProblem]:
    """The syntax errors of `text`, in order; empty if the running Python parses it.

    `first_row` is the 1-based row of the file on which `text` begins. Never raises.
    """
    refusal = _refusal(text) if _is_doubtful(text) else None
    if refusal is None:
        return []
    found = _reread(text) or [_unexplained(text, refusal)]
    source = SourceText(_NO_PATH, text)
    return [
        SyntaxProblem(_moved(source.range(start, end), first_row - 1), _printable(message))
        for start, end, message in sorted(found, key=lambda error: error.start)
    ]


class _Error(NamedTuple):
    """An error between two offsets of the text."""

    start: int
    end: int
    message: str


class _TooMuchError(Exception):
    """The text is nested deeper, or longer, than this parser follows."""


_NO_PATH = Path()
_SURROGATE = re.compile("[\ud800-\udfff]")
_RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"
_TOO_DEEP = "Too deeply nested to be parsed"
# Python 3.10 to 3.14 refuse the 201st open bracket and the 100th level of indentation.
_MOST_BRACKETS = 200
_MOST_INDENTS = 99
# A level takes up to ten frames of the interpreter, which allows a thousand in all.
_MOST_DEPTH = 60
# Some seconds; what is longer is data.
_MOST_TOKENS = 250_000


def _is_doubtful(text: str) -> bool:
    """Whether the running Python has anything against `text`, found without building a tree."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            symtable.symtable(text, "", "exec")
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError):
        return True
    return False


def _refusal(text: str) -> Exception | None:
    """Why the running Python does not parse `text`; nothing is printed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError) as error:
        return error
    return None


def _reread(text: str) -> list[_Error]:
    """What our own parser has against `text`: its errors, else syntax that is too new."""
    parser = _Parser(text)
    with contextlib.suppress(_TooMuchError, RecursionError):
        parser.read()
    # Where that became too deep, the tokens alone still show what is left open.
    with contextlib.suppress(_TooMuchError):
        while parser.kind != "eof":
            parser.bump()
    return parser.merged_errors() or parser.newer


def _unexplained(text: str, refusal: Exception) -> _Error:
    """What to say where only Python refuses: it has limits that the grammar has not."""
    if (at := text.find("\0")) >= 0:
        return _Error(at, at + 1, "Source code cannot contain null bytes")
    if isinstance(refusal, UnicodeEncodeError):
        return _Error(refusal.start, refusal.end, "Source code cannot contain lone surrogates")
    if not isinstance(refusal, SyntaxError):
        is_deep = isinstance(refusal, (MemoryError, RecursionError))
        at = _refused_statement(text, type(refusal))
        return _Error(at, min(at + 1, len(text)), _TOO_DEEP if is_deep else str(refusal))
    if refusal.msg.startswith("too many "):
        at = _refused_statement(text, SyntaxError)
        return _Error(at, min(at + 1, len(text)), _TOO_DEEP)
    if refusal.msg.endswith(("was never closed", "EOF while parsing")):
        return _Error(len(text), len(text), _END)
    place = Position(refusal.lineno or 1, max(refusal.offset or 1, 1))
    at = SourceText(_NO_PATH, text).offset(place)
    message = refusal.msg.partition(";")[0]
    return _Error(at, at, message[:1].upper() + message[1:])


def _refused_statement(text: str, kind: type[Exception]) -> int:
    """Where Python gives up: at a bracket or an indent, else at a statement at the top level."""
    lexer = _Lexer(text)
    indents, top = 0, 0
    is_row_start = True
    while lexer.next_token() != "eof":
        indents += (lexer.kind == "indent") - (lexer.kind == "dedent")
        if lexer.nesting > _MOST_BRACKETS or indents > _MOST_INDENTS:
            return lexer.end - 1
        if is_row_start and not indents and lexer.kind not in _CONTINUED:
            if isinstance(_refusal(text[top : lexer.start]), kind):
                break
            top = lexer.start
        is_row_start = lexer.kind in ("newline", "dedent")
    return top


def _moved(span: Range, rows: int) -> Range:
    start, end = span.start, span.end
    return Range(Position(start.row + rows, start.column), Position(end.row + rows, end.column))


def _printable(message: str) -> str:
    """`message` without half characters, which no stream can take."""
    return _SURROGATE.sub("\ufffd", message)


_SOFT = frozenset({"case", "lazy", "match", "type"})
_HARD = frozenset(keyword.kwlist)
_KEYWORDS = _HARD | _SOFT

# What goes on with the compound statement above it.
_CONTINUED = frozenset({"dedent", "elif", "else", "except", "finally"})
_BLANK = re.compile(r"[ \t\f]*")
_SPACES = re.compile(r" *")
_JOINT = re.compile(r"\\(?:\r\n|\r|\n)")
_TOKEN = re.compile(
    r"""
    (?P<string> (?P<prefix>[fFtTbB][rR]?|[rR][fFtTbB]?|[uU])? (?P<quote>'{3}|"{3}|'|") )
  | (?P<name> [A-Za-z_][A-Za-z0-9_]* )
  | (?P<number> (?:\.)?[0-9] )
  | (?P<comment> \#[^\r\n]* )
  | (?P<newline> \r\n|\r|\n )
  | (?P<operator> \*\*=|//=|>>=|<<=|\.\.\.|[-+*/%|&^@=!<>:]=|\*\*|//|<<|>>|->
                | [-+*/%|&^@~()\[\]{},:;.=<>!] )
    """,
    re.VERBOSE,
)
_DIGITS = r"(?:{0}|_(?={0}))*"
_RADIX = {
    "x": re.compile(_DIGITS.format("[0-9a-fA-F]")),
    "o": re.compile(_DIGITS.format("[0-7]")),
    "b": re.compile(_DIGITS.format("[01]")),
}
_DECIMAL = re.compile(_DIGITS.format("[0-9]"))
_EXPONENT = re.compile(r"[eE][-+]?[0-9]" + _DECIMAL.pattern)
_STRING_BODY = {
    "'": re.compile(r"(?:[^\\'\r\n]+|\\(?:\r\n|.|\Z))*", re.DOTALL),
    '"': re.compile(r'(?:[^\\"\r\n]+|\\(?:\r\n|.|\Z))*', re.DOTALL),
    "'''": re.compile(r"(?:[^\\']+|\\(?:.|\Z)|'(?!''))*", re.DOTALL),
    '"""': re.compile(r'(?:[^\\"]+|\\(?:.|\Z)|"(?!""))*', re.DOTALL),
}


@functools.cache
def _literal_part(quote: str, is_raw: bool, in_spec: bool) -> re.Pattern[str]:
    """What an f-string holds up to its next replacement field, its end, or where it breaks off."""
    mark = quote[0]
    units = [rf"[^\\{{}}{mark}\r\n]+", r"\\(?=[{}])", r"\\(?:\r\n|.|\Z)"]
    if not is_raw:
        units.insert(1, rf"\\N\{{(?:[^\\{{}}{mark}\r\n]*\}})?")
    if not in_spec:
        units += [r"\{\{", r"\}\}"]
    if len(quote) == 3:
        units += [r"[\r\n]", rf"{mark}(?!{mark}{mark})"]
    return re.compile(f"(?:{'|'.join(units)})*", re.DOTALL)


class _Quotes(NamedTuple):
    """How a string literal is quoted; `prefix` as written, `quote` of one or three characters."""

    prefix: str
    quote: str
    is_closed: bool = True

    @property
    def is_raw(self) -> bool:
        return "r" in self.prefix.lower()

    @property
    def is_bytes(self) -> bool:
        return "b" in self.prefix.lower()


class _Open(NamedTuple):
    """An f-string or t-string (`letter`) that has begun, at a depth of brackets."""

    letter: str
    quotes: _Quotes
    nesting: int
    spec_depth: int = 0

    def brackets(self, nesting: int) -> int:
        return max(nesting - self.nesting, 0)

    def is_in_field(self, nesting: int) -> bool:
        return self.brackets(nesting) > self.spec_depth

    def may_start_spec(self, nesting: int) -> bool:
        return self.brackets(nesting) - self.spec_depth == 1

    def is_in_spec(self, nesting: int) -> bool:
        return self.spec_depth > 0 and not self.is_in_field(nesting)


class _Indent(NamedTuple):
    """An indentation, measured with tabs of two columns and in characters."""

    columns: int = 0
    characters: int = 0

    def after_tab(self) -> _Indent:
        return _Indent(self.columns + 2 - self.columns % 2, self.characters + 1)

    def order(self, other: _Indent) -> int | None:
        """-1 if narrower than `other`, 0 if equal, 1 if wider, `None` if that depends on tabs."""
        by_columns = (self.columns > other.columns) - (self.columns < other.columns)
        by_characters = (self.characters > other.characters) - (self.characters < other.characters)
        return by_columns if by_columns == by_characters else None


class _Line(enum.Enum):
    """Where on a logical line the lexer is."""

    BEFORE_INDENT = enum.auto()
    AFTER_INDENT = enum.auto()
    INSIDE = enum.auto()


class _Lexer:
    """Cuts a text into Ruff's tokens, one at a time.

    `kind` is that of the token between `start` and `end`: the token itself if it is a keyword or an
    operator, else a word (`name`, `int`, `newline`, `unknown`…). `lexical` are the errors.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.kind, self.start, self.end = "eof", 0, 0
        self.quotes = _NO_QUOTES
        self.nesting = 0
        self.lexical: list[_Error] = []
        self._at = self._begin = 0
        self._line = _Line.BEFORE_INDENT
        self._indents: tuple[_Indent, ...] = ()
        self._pending: _Indent | None = None
        self._open: tuple[_Open, ...] = ()

    def next(self) -> str:
        """Go to the next token, comments and rows inside of brackets included."""
        self.quotes = _NO_QUOTES
        self.kind = self._lex()
        if self.kind != "unknown":
            self.start, self.end = self._begin, self._at
        return self.kind

    def next_token(self) -> str:
        """Go to the next token of the grammar."""
        while self.next() in _TRIVIA:
            pass
        return self.kind

    def _fail(self, message: str, start: int | None = None, end: int | None = None) -> str:
        self.start = self._begin if start is None else start
        self.end = self._at if end is None else end
        self.lexical.append(_Error(self.start, self.end, message))
        return "unknown"

    def _char(self) -> str:
        """The character to come; empty at the end."""
        return self.text[self._at : self._at + 1]

    def _eat(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self._at)
        if found is None:
            return ""
        self._at = found.end()
        return found.group()

    def _lex(self) -> str:
        if self._open:
            kind = self._lex_literal_part(self._open[-1])
        elif self._pending is not None:
            self._begin = self._at
            kind = self._lex_indent(self._pending)
        else:
            kind = ""
        if kind:
            return kind
        self._begin = self._at
        is_row_start = self._line is _Line.BEFORE_INDENT
        kind = self._lex_row_start() if is_row_start else self._skip_blank()
        if kind:
            return kind
        self._begin = self._at
        return self._lex_token()

    def _lex_row_start(self) -> str:
        """The indent or dedent with which a row begins; empty if there is none."""
        indent = _Indent()
        while char := self._char():
            if char == " ":
                count = len(self._eat(_SPACES))
                indent = _Indent(indent.columns + count, indent.characters + count)
            elif char == "\\":
                if kind := self._lex_joint(self._begin):
                    return kind
                if indent != _Indent():
                    self._eat(_BLANK)
            elif char in "\t\f":
                indent = indent.after_tab() if char == "\t" else _Indent()
                self._at += 1
            else:
                break
        # A null byte is what Ruff's cursor gives at the end, so it counts as an empty row.
        if self._char() in ("", "\n", "\r", "#", "\0"):
            return ""
        self._line = _Line.AFTER_INDENT
        return self._lex_indent(indent)

    def _lex_indent(self, indent: _Indent) -> str:
        """Compare an indentation with those around; one token for each level."""
        self._pending = None
        order = self._indents[-1].order(indent) if self._indents else _Indent().order(indent)
        if order == 1:
            self._pending = indent
            self._indents = self._indents[:-1]
            outer = self._indents[-1] if self._indents else _Indent()
            if indent.order(outer) in (None, 1):
                return self._fail(_UNINDENT)
            self._begin = self._at
            return "dedent"
        if order == -1 and self._begin < self._at:
            self._indents = (*self._indents, indent)
            return "indent"
        return self._fail(_UNINDENT) if order is None else ""

    def _lex_joint(self, begin: int) -> str:
        """A backslash that joins rows; empty if it does."""
        if not self._eat(_JOINT):
            self._at += 1
            message = "Expected a newline after line continuation character"
            return self._fail(message, self._at - 1)
        if self._at >= len(self.text):
            return self._fail(_END, begin)
        return ""

    def _skip_blank(self) -> str:
        begin = self._at
        self._eat(_BLANK)
        while self._char() == "\\":
            if kind := self._lex_joint(begin):
                return kind
            self._eat(_BLANK)
        return ""

    def _lex_token(self) -> str:
        found = _TOKEN.match(self.text, self._at)
        if found is None:
            return self._lex_other()
        kind = found.lastgroup or ""
        if kind == "comment":
            self._at = found.end()
            return kind
        if kind == "newline":
            self._at = found.end()
            return self._lex_newline()
        self._line = _Line.INSIDE
        if kind == "name":
            return self._lex_name(found)
        if kind == "operator":
            return self._lex_operator(found.group())
        if kind == "number":
            return self._lex_number(found.group())
        self._at = found.end()
        return self._lex_string(_Quotes(found["prefix"] or "", found["quote"]))

    def _lex_other(self) -> str:
        """The end, a name that begins with a letter beyond ASCII, or what Python does not know."""
        char = self._char()
        if not char:
            return self._lex_end()
        if char.isascii() or char.isidentifier():
            self._line = _Line.INSIDE
        if char.isidentifier():
            return self._lex_wide_name()
        self._at += 1
        return self._fail(f"Got unexpected token {char}")

    def _lex_name(self, found: re.Match[str]) -> str:
        self._at = found.end()
        word = found.group()
        if word in _KEYWORDS and not self._is_name_char():
            return word
        return self._lex_wide_name() if self._char() > "\x7f" else "name"

    def _lex_wide_name(self) -> str:
        while self._is_name_char():
            self._at += 1
        return "name"

    def _is_name_char(self) -> bool:
        """Whether a name goes on here."""
        char = self._char()
        return char != "" and f"a{char}".isidentifier()

    def _lex_operator(self, operator: str) -> str:
        opened = self._open[-1] if self._open else None
        if operator in ("(", "[", "{"):
            self.nesting += 1
        elif operator in (")", "]"):
            self.nesting = max(self.nesting - 1, 0)
        elif operator == "}":
            if opened is not None and opened.nesting == self.nesting:
                self._at += 1
                return self._fail(f"{opened.letter}-string: single `}}` is not allowed")
            self._end_spec()
            self.nesting = max(self.nesting - 1, 0)
        elif operator[0] == ":" and opened is not None and opened.may_start_spec(self.nesting):
            self._set_spec_depth(opened, opened.spec_depth + 1)
            operator = ":"
        self._at += len(operator)
        return operator

    def _end_spec(self) -> None:
        if self._open and self._open[-1].is_in_spec(self.nesting):
            self._set_spec_depth(self._open[-1], max(self._open[-1].spec_depth - 1, 0))

    def _set_spec_depth(self, opened: _Open, depth: int) -> None:
        self._open = (*self._open[:-1], opened._replace(spec_depth=depth))

    def _lex_newline(self) -> str:
        if self.nesting == 0 and self._line is _Line.INSIDE:
            self._line = _Line.BEFORE_INDENT
            return "newline"
        self._end_spec()
        return "row end"

    def _lex_end(self) -> str:
        while self._open:
            opened = self._open[-1]
            self._open = self._open[:-1]
            self.nesting = opened.nesting
            self._fail(f"{opened.letter}-string: unterminated string")
        if self.nesting:
            self.nesting = 0
            return self._fail(_END)
        if self._line is _Line.INSIDE:
            self._line = _Line.BEFORE_INDENT
            return "newline"
        if self._indents:
            self._indents = self._indents[:-1]
            return "dedent"
        return "eof"

    def _lex_string(self, quotes: _Quotes) -> str:
        letter = quotes.prefix.lower().replace("r", "")
        self.quotes = quotes
        if letter in ("f", "t"):
            self._open = (*self._open, _Open(letter, quotes, self.nesting))
            return f"{letter}-string start"
        self._eat(_STRING_BODY[quotes.quote])
        if self.text.startswith(quotes.quote, self._at):
            self._at += len(quotes.quote)
        else:
            self.quotes = quotes._replace(is_closed=False)
            self._fail(_UNCLOSED)
        return "string"

    def _lex_literal_part(self, opened: _Open) -> str:
        """What an f-string holds between its replacement fields; empty if that is nothing."""
        if opened.is_in_field(self.nesting):
            return ""
        self._begin = self._at
        quote = opened.quotes.quote
        self.quotes = opened.quotes
        if self.text.startswith(quote, self._at):
            self._at += len(quote)
            self._open = self._open[:-1]
            return f"{opened.letter}-string end"
        in_spec = opened.is_in_spec(self.nesting)
        self._eat(_literal_part(quote, opened.quotes.is_raw, in_spec))
        char = self._char()
        if not char or char in "\r\n":
            self.nesting = opened.nesting
            self._open = self._open[:-1]
            self._fail(f"{opened.letter}-string: {_breach(quote, in_spec and char != '')}")
        if self._at > self._begin:
            return f"{opened.letter}-string middle"
        self.quotes = _NO_QUOTES
        return ""

    def _lex_number(self, first: str) -> str:
        radix = _RADIX.get(self.text[self._at + 1 : self._at + 2].lower()) if first == "0" else None
        if radix is not None:
            self._at += 2
            if not self._eat(radix):
                return self._fail("ParseIntError { kind: Empty }")
            return "int"
        whole = self._eat(_DECIMAL)
        is_float = self._char() == "."
        if is_float:
            self._at += 1
            if self._char() == "_":
                self._at += 1
                return self._fail("Invalid Syntax", self._at - 1)
            self._eat(_DECIMAL)
        is_float = bool(self._eat(_EXPONENT)) or is_float
        if self._char() in ("j", "J"):
            self._at += 1
            return "complex"
        if is_float:
            return "float"
        if first == "0" and whole.strip("0_"):
            return self._fail("Invalid decimal integer literal")
        return "int"

    def relex_row(self, row_end: int | None) -> bool:
        """Take the rows from `row_end` on for logical ones, as a bracket seems to be open still.

        Says whether the current token was read anew.
        """
        if self.nesting == 0:
            return False
        self.nesting -= 1
        in_triple = self.kind in _LITERAL_TOKENS and len(self.quotes.quote) == 3
        if in_triple or row_end is None:
            return False
        if self.kind in (")", "]", "}"):
            self.nesting += 1
        self._at = row_end
        self._line = _Line.INSIDE
        self.next()
        return True

    def relex_quote(self) -> None:
        """Take the start of an unclosed string in a field for the end of the string around it."""
        opened = self._open[-1] if self._open else None
        quotes = self.quotes
        if opened is None or self.kind != "string" or quotes.is_closed or quotes.prefix:
            return
        if quotes.quote != opened.quotes.quote:
            return
        end = self.start + len(quotes.quote)
        found = _BLANK.match(self.text, end)
        if found is not None and self.text[found.end() : found.end() + 1] not in (
            "",
            "\n",
            "\r",
            "#",
        ):
            return
        self._forget_unclosed()
        self.end = self._at = end
        self.kind = f"{opened.letter}-string end"
        self.quotes = _NO_QUOTES
        self.nesting = opened.nesting
        self._open = self._open[:-1]

    def relex_raw(self) -> None:
        """Take the prefix of an unclosed raw string for a conversion, as in `f'{x!r'`."""
        if self.kind == "string" and not self.quotes.is_closed and self.quotes.prefix == "r":
            self._forget_unclosed()
            self.end = self._at = self.start + 1
            self.kind = "name"
            self.quotes = _NO_QUOTES

    def _forget_unclosed(self) -> None:
        if self.lexical and self.lexical[-1] == (self.start, self.end, _UNCLOSED):
            self.lexical.pop()


_NO_QUOTES = _Quotes("", "'")
_TRIVIA = frozenset({"comment", "row end"})
_LITERAL_TOKENS = frozenset(
    f"{letter}-string {part}" for letter in "ft" for part in ("start", "middle", "end")
)
_UNINDENT = "unindent does not match any outer indentation level"
_END = "unexpected EOF while parsing"
_UNCLOSED = "missing closing quote in string literal"


def _breach(quote: str, is_in_spec: bool) -> str:
    """How an f-string breaks off: at the end of its row or of the text."""
    if len(quote) == 3:
        return "unterminated triple-quoted string"
    if is_in_spec:
        return "newlines are not allowed in format specifiers when using single quotes"
    return "unterminated string"


class _ListKind(NamedTuple):
    """A list of the grammar: which tokens begin an element and which end the list.

    `recovery_ends` end it as well, but only for a list inside of it in which something is missing.
    """

    elements: frozenset[str]
    ends: frozenset[str]
    missing: str
    recovery_ends: frozenset[str] = frozenset()
    may_trail: bool = True

    @property
    def tokens(self) -> frozenset[str]:
        return self.elements | self.ends | self.recovery_ends


def _set(*words: str) -> frozenset[str]:
    return frozenset(word for group in words for word in group.split())


_STRINGS = frozenset({"string", "f-string start", "t-string start"})
_NUMBERS = _set("int float complex")
_EXPRESSION = (
    _set("name - + ~ * ** ( { [ lambda await not yield ... True False None") | _NUMBERS | _STRINGS
) | _SOFT
_SIMPLE = _EXPRESSION | _set(
    "pass return break continue global nonlocal assert yield del raise import from"
)
_COMPOUND = _set("match if with while for try def class async @")
_STATEMENT = _SIMPLE | _COMPOUND
_NAMES = _SOFT | {"name"}
_ROW_END = _set("newline eof")
_SEQUENCE_END = _ROW_END | _set("; : } ] ) dedent if else as from for async in = !")
_COMPREHENSION = _set("async for")
_LITERAL_PATTERN = _set("None True False string - int float complex")
_PATTERN = _LITERAL_PATTERN | _SOFT | _set("* name ( [ {")
_AUGMENTED = _set("+= -= *= **= /= //= %= @= &= |= ^= <<= >>=")
_UNARY = _set("+ - ~ not")
_NOTHING: frozenset[str] = frozenset()

_MODULE = _ListKind(_STATEMENT, _NOTHING, "Expected a statement")
_BLOCK = _ListKind(_STATEMENT, _set("dedent"), "Expected a statement")
_ASSIGNED = _ListKind(_set("="), _set("newline ;"), "Expected an assignment target")
_TYPE_PARAMETERS = _ListKind(
    _KEYWORDS | _set("* ** name"),
    _set("]"),
    "Expected a type parameter or the end of the type parameter list",
    _set("newline : = ("),
)
_IMPORTED = _ListKind(
    _NAMES | {"*"}, _set(") ; newline"), "Expected an import name", may_trail=False
)
_IMPORTED_IN_BRACKETS = _IMPORTED._replace(
    missing="Expected an import name or a ')'", may_trail=True
)
_MODULES = _ListKind(_NAMES, _set("; newline"), "Expected an import name", may_trail=False)
_SLICES = _ListKind(
    _EXPRESSION | {":"}, _set("]"), "Expected an expression or the end of the slice list"
)
_LIST = _ListKind(_EXPRESSION, _set("]"), "Expected an expression or a ']'")
_SET = _ListKind(_EXPRESSION, _set("}"), "Expected an expression or a '}'")
_DICT = _ListKind(_EXPRESSION | {"**"}, _set("}"), _SET.missing)
_TUPLE = _ListKind(_EXPRESSION, _set(")"), "Expected an expression or a ')'")
_BARE_TUPLE = _ListKind(_EXPRESSION, _SEQUENCE_END, "Expected an expression")
_MAPPING_PATTERN = _ListKind(
    _LITERAL_PATTERN | _NAMES | _set("* **"),
    _set("}"),
    "Expected a mapping pattern or the end of the mapping pattern",
)
_CLASS_PATTERN = _ListKind(_PATTERN, _set(")"), "Expected a pattern or a ')'")
_TARGETS = _ListKind(_EXPRESSION, _set("; newline"), "Expected a delete target")
_IDENTIFIERS = _ListKind(_NAMES, _set("; newline"), "Expected an identifier", may_trail=False)
_PARAMETERS = _ListKind(
    _NAMES | _set("* ** /"),
    _set(")"),
    "Expected a parameter or the end of the parameter list",
    _COMPOUND | {"->"},
)
_LAMBDA_PARAMETERS = _PARAMETERS._replace(ends=_set(":"))
_WITH_ITEMS = _ListKind(
    _EXPRESSION,
    _set(": newline"),
    "Expected an expression or the end of the with item list",
    may_trail=False,
)
_WITH_EXPRESSIONS = _WITH_ITEMS._replace(ends=_set(":"))
_WITH_ITEMS_IN_BRACKETS = _TUPLE._replace(recovery_ends=_set(":"))
_SEQUENCE_PATTERN = {
    end: _ListKind(
        _PATTERN | {"+"}, _set(end), "Expected a pattern or the end of the sequence pattern"
    )
    for end in (": if", ")", "]")
}
_LITERAL_PARTS = {
    letter: _ListKind(
        frozenset({f"{letter}-string middle", "{"}),
        frozenset({f"{letter}-string end"}),
        f"Expected an element of or the end of the {letter}-string",
        _set("newline"),
    )
    for letter in ("f", "t")
}
_SPEC_PARTS = {
    letter: kind._replace(ends=_set("}"), missing=f"Expected an {letter}-string element or a '}}'")
    for letter, kind in _LITERAL_PARTS.items()
}

_SHOWN = {
    "eof": "end of file",
    "name": "identifier",
    "unknown": "Unknown",
    # FStringStart and so on.
    **{token: token.title().replace("-", "").replace(" ", "") for token in _LITERAL_TOKENS},
}
_WORDS = _NUMBERS | _set("newline indent dedent string")


def _shown(kind: str) -> str:
    return _SHOWN.get(kind) or (kind if kind in _WORDS else f"`{kind}`")


class _Node(NamedTuple):
    """What the checks need to know of an expression or a pattern.

    `is_wrapped` if it began with a parenthesis of its own (`(a).b` counts too, as in Ruff), which
    lies outside of `start` and `end`; `is_bare` for a tuple or a generator that has none.
    """

    kind: str
    start: int
    end: int
    is_wrapped: bool = False
    is_bare: bool = False
    parts: tuple[_Node, ...] = ()

    def is_unwrapped(self, kind: str) -> bool:
        return self.kind == kind and not self.is_wrapped


class _Reader(_Lexer):
    """Goes through the tokens, notes errors and reads lists with what is missing in them."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.errors: list[_Error] = []
        self.newer: list[_Error] = []
        self.removed: list[_Error] = []
        self.depth = 0
        self.bumps = 0
        self.previous_end = 0
        # What some list around can go on or end with.
        self.known: frozenset[str] = frozenset()
        # Comments and ends of rows between the last token and this one, with their offsets.
        self.trivia: list[tuple[str, int]] = []
        self.comments: list[tuple[int, int]] = []
        self.step()

    def merged_errors(self) -> list[_Error]:
        """Errors of parser and lexer in their order; where both begin, the lexer's is meant."""
        merged: list[_Error] = []
        lexical = deque(self.lexical)
        for error in self.errors:
            while lexical and lexical[0].start < error.start:
                merged.append(lexical.popleft())
            is_same = lexical and lexical[0].start == error.start
            merged.append(lexical.popleft() if is_same else error)
        return [*merged, *lexical, *self.removed]

    def peek(self) -> str:
        return self.peek2()[0]

    def peek2(self) -> tuple[str, str]:
        """The kinds of the two tokens to come."""
        ahead = copy.copy(self)
        ahead.lexical = []
        return ahead.next_token(), ahead.next_token()

    def step(self) -> None:
        while (kind := self.next()) in _TRIVIA:
            self.trivia.append((kind, self.start))
            if kind == "comment":
                self.comments.append((self.start, self.end))

    def bump(self) -> None:
        if self.kind not in ("dedent", "newline", ";"):
            self.previous_end = self.end
        self.trivia = []
        self.bumps += 1
        if self.bumps > _MOST_TOKENS:
            raise _TooMuchError
        self.step()

    def eat(self, kind: str) -> bool:
        if self.kind != kind:
            return False
        self.bump()
        return True

    def expect(self, kind: str) -> None:
        if not self.eat(kind):
            self.error_here(f"Expected {_shown(kind)}, found {_shown(self.kind)}")

    def span(self, start: int) -> tuple[int, int]:
        """From `start` to the end of the last token; empty and at that end if there is none."""
        return min(start, self.previous_end), self.previous_end

    def node(self, kind: str, start: int, *parts: _Node, is_bare: bool = False) -> _Node:
        return _Node(kind, *self.span(start), is_bare=is_bare, parts=parts)

    def missing(self) -> _Node:
        return _Node("name", self.previous_end, self.previous_end)

    def error(self, message: str, start: int, end: int) -> None:
        if not self.errors or self.errors[-1].start != start:
            self.errors.append(_Error(start, end, message))

    def error_here(self, message: str) -> None:
        self.error(message, self.start, self.end)

    def error_at(self, message: str, node: _Node) -> None:
        self.error(message, node.start, node.end)

    def needs(self, minor: int, what: str, start: int, end: int) -> None:
        """Note syntax that came with Python 3.`minor`."""
        if sys.version_info < (3, minor):
            since = f"syntax was added in Python 3.{minor}"
            self.newer.append(_Error(start, end, f"{what} on Python {_RUNNING} ({since})"))

    def checkpoint(self) -> dict[str, Any]:
        """All that `rewind` needs to come back to this token."""
        return {name: copy.copy(value) for name, value in vars(self).items()}

    def rewind(self, state: dict[str, Any]) -> None:
        """Forget what was read and found since `checkpoint`."""
        vars(self).update(state)

    def elements(self, kind: _ListKind, read: Callable[[], object]) -> None:
        """Read a list without separators up to its end."""
        known, self.known = self.known, self.known | kind.tokens
        indents, last = 0, -1
        while self.bumps != last:
            last = self.bumps
            if indents and self.kind == "dedent":
                indents -= 1
                self.bump()
            elif self.kind in kind.elements:
                read()
            elif self.kind == "eof" or self.kind in kind.ends:
                break
            elif self.is_known():
                self.leave_bracket()
                break
            else:
                self.error_here(self.complaint(kind))
                indents += self.kind == "indent" and kind.elements is _STATEMENT
                self.bump()
        self.known = known

    def separated(self, kind: _ListKind, read: Callable[[], object]) -> tuple[int, bool]:
        """Read a list with commas up to its end: how many elements, and if a comma comes last."""
        known, self.known = self.known, self.known | kind.tokens
        count = 0
        comma: tuple[int, int] | None = None
        last = -1
        while self.bumps != last:
            last = self.bumps
            if self.kind in kind.elements:
                read()
                count += 1
                here = self.start, self.end
                comma = here if self.eat(",") else None
                if comma:
                    continue
            if self.kind == "eof" or self.kind in kind.ends:
                break
            if self.kind in kind.elements:
                self.expect(",")
                continue
            if self.is_known():
                self.leave_bracket()
                break
            comma = self.skip_stray(kind, is_first=count == 0)
        if comma and not kind.may_trail:
            self.error("Trailing comma not allowed", *comma)
        self.known = known
        return count, comma is not None

    def skip_stray(self, kind: _ListKind, *, is_first: bool) -> tuple[int, int] | None:
        """Pass over a token that belongs to no list; its offsets if it is a comma."""
        comma = None
        if is_first or self.kind == ",":
            self.error_here(self.complaint(kind))
            if self.kind == ",":
                comma = self.start, self.end
        else:
            self.expect(",")
        self.bump()
        return comma

    def is_known(self) -> bool:
        return self.kind == "eof" or self.kind in self.known

    def complaint(self, kind: _ListKind) -> str:
        if self.kind == "indent" and kind.elements is _STATEMENT:
            return "Unexpected indentation"
        if kind is _ASSIGNED and self.kind in _KEYWORDS:
            return "The keyword is not allowed as a variable declaration name"
        return kind.missing

    def leave_bracket(self) -> None:
        """Give up the bracket that is open and read on with a row of its own."""
        row_end = None
        for index in range(len(self.trivia) - 1, -1, -1):
            if self.trivia[index][0] == "row end":
                row_end = index
        offset = None if row_end is None else self.trivia[row_end][1]
        if self.relex_row(offset):
            del self.trivia[row_end:]
            if self.kind in _TRIVIA:
                self.trivia.append((self.kind, self.start))
                self.step()


# What an expression may be, besides what its precedence allows.
_NO_IN = 1
_STAR = 2
_STAR_TO_OR = 4
_YIELD = 8
_NO_FOR = 16
_STARRED = _STAR | _STAR_TO_OR
_ANY = _STARRED | _YIELD

_OR, _AND, _NOT, _COMPARISON = 1, 2, 3, 4
_SIGN, _POWER, _AWAIT = 11, 12, 13
_PRECEDENCE = {
    "or": _OR,
    "and": _AND,
    **dict.fromkeys(("in", "is", "==", "!=", "<", "<=", ">", ">="), _COMPARISON),
    "|": 5,
    "^": 6,
    "&": 7,
    **dict.fromkeys(("<<", ">>"), 8),
    **dict.fromkeys(("+", "-"), 9),
    **dict.fromkeys(("*", "@", "/", "//", "%"), 10),
    "**": _POWER,
}
_OPERATION = {_OR: "boolean", _AND: "boolean", _COMPARISON: "comparison"}

_STAR_HERE = "Starred expression cannot be used here"
_NAMED_HERE = "Unparenthesized named expression cannot be used here"
_YIELD_HERE = "Yield expression cannot be used here"
_TUPLE_HERE = "Unparenthesized tuple expression cannot be used here"
_NO_EXPRESSION = "Expected an expression"


class _Call:
    """What has been seen of the arguments of a call."""

    def __init__(self) -> None:
        self.has_keyword = False
        self.has_unpacking = False
        self.generators: list[_Node] = []


class _Expressions(_Reader):
    """Reads expressions."""

    def expression_list(self, context: int = 0) -> _Node:
        start = self.start
        first = self.conditional(context)
        if self.kind != ",":
            return first
        return self.rest_of_tuple(
            first, start, lambda: self.conditional(context & ~_YIELD), is_bare=True
        )

    def named(self, context: int = 0) -> _Node:
        start = self.start
        target = self.conditional(context)
        if self.kind != ":=":
            return target
        self.bump()
        if target.kind != "name":
            self.error_at("Assignment expression target must be an identifier", target)
        self.conditional()
        return self.node("named", start)

    def conditional(self, context: int = 0) -> _Node:
        if self.kind == "lambda":
            return self.lambda_expression()
        start = self.start
        body = self.binary(0, context)
        if self.kind != "if":
            return body
        self.bump()
        self.binary(0, 0)
        self.expect("else")
        self.deeper()
        self.conditional()
        self.depth -= 1
        return self.node("conditional", start)

    def lambda_expression(self) -> _Node:
        start = self.start
        self.bump()
        if self.kind != ":":
            self.parameters(_LAMBDA_PARAMETERS)
        self.expect(":")
        self.deeper()
        self.conditional()
        self.depth -= 1
        return self.node("lambda", start)

    def parameters(self, kind: _ListKind) -> None:
        """Read the parameters of a function or a lambda."""
        raise NotImplementedError

    def strings(self) -> _Node:
        """Read string literals that stand in a row."""
        raise NotImplementedError

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > _MOST_DEPTH:
            raise _TooMuchError

    def binary(self, least: int, context: int) -> _Node:
        self.deeper()
        start = self.start
        left = self.unary(least, context)
        while precedence := self.precedence(context):
            if precedence < least or (precedence == least and precedence != _POWER):
                break
            if precedence in _OPERATION:
                self.chain(precedence, context)
            else:
                self.bump()
                self.binary(precedence, context)
            node = self.node(_OPERATION.get(precedence, "operation"), start)
            left = node._replace(is_wrapped=left.is_wrapped)
        self.depth -= 1
        return left

    def precedence(self, context: int) -> int:
        """How strongly the operator here binds; 0 if none is."""
        if self.kind == "not":
            return _COMPARISON if self.peek() == "in" else 0
        if self.kind == "in" and context & _NO_IN:
            return 0
        return _PRECEDENCE.get(self.kind, 0)

    def chain(self, precedence: int, context: int) -> None:
        """`a < b < c` and `a and b and c`, from the first operator on."""
        operator = self.kind
        while True:
            self.bump_operator()
            self.binary(precedence, context)
            if precedence == _COMPARISON:
                if self.precedence(context) != _COMPARISON:
                    break
            elif self.kind != operator:
                break

    def bump_operator(self) -> None:
        """Pass over an operator, `is not` and `not in` being one."""
        second = {"is": "not", "not": "in"}.get(self.kind)
        self.bump()
        if second is not None:
            self.eat(second)

    def unary(self, least: int, context: int) -> _Node:
        kind = self.kind
        if kind in _UNARY:
            return self.signed(least, context)
        if kind == "*":
            return self.starred(least, context)
        if kind == "await":
            return self.await_expression(least)
        if kind == "lambda":
            node = self.lambda_expression()
            self.error_at("Lambda expression cannot be used here", node)
            return node
        if kind == "yield":
            node = self.yield_expression()
            if least or not context & _YIELD:
                self.error_at(_YIELD_HERE, node)
            return node
        start = self.start
        return self.postfix(self.atom(context), start, context)

    def signed(self, least: int, context: int) -> _Node:
        start, operator = self.start, self.kind
        is_not = operator == "not"
        self.bump()
        self.binary(_NOT if is_not else _SIGN, context)
        node = self.node("not" if is_not else "signed", start)
        if is_not and least > _NOT:
            self.error_at("Boolean 'not' expression cannot be used here", node)
        elif not is_not and least > _SIGN and least != _POWER:
            self.error_at(f"Unary '{operator}' expression cannot be used here", node)
        return node

    def starred(self, least: int, context: int) -> _Node:
        start = self.start
        self.bump()
        is_strict = context & _STAR_TO_OR
        value = self.bitwise() if is_strict else self.conditional(context & ~_STAR)
        node = self.node("starred", start, value)
        if least or not context & _STAR:
            self.error_at(_STAR_HERE, node)
        return node

    def bitwise(self) -> _Node:
        """An expression that binds as strongly as `|` or more."""
        node = self.conditional()
        shown = {
            "comparison": "Comparison",
            "boolean": "Boolean",
            "not": "Boolean",
            "conditional": "Conditional",
            "lambda": "Lambda",
        }.get(node.kind)
        if shown and not node.is_wrapped:
            self.error_at(f"{shown} expression cannot be used here", node)
        return node

    def await_expression(self, least: int) -> _Node:
        start = self.start
        self.bump()
        self.binary(_AWAIT, 0)
        node = self.node("await", start)
        if least >= _AWAIT:
            self.error_at("Await expression cannot be used here", node)
        return node

    def yield_expression(self) -> _Node:
        start = self.start
        self.bump()
        if self.eat("from"):
            value = self.expression_list()
            if value.kind == "tuple" and value.is_bare:
                self.error_at(_TUPLE_HERE, value)
        elif self.kind in _EXPRESSION:
            self.expression_list(_STARRED)
        return self.node("yield", start)

    def identifier(self, context: int = 0) -> _Node:
        kind, start, end = self.kind, self.start, self.end
        if kind in _NAMES:
            self.bump()
            return _Node("name", start, end)
        if kind not in _HARD or self.is_excluded(context):
            self.error_here("Expected an identifier")
            return self.missing()
        found = f"found a keyword {_shown(kind)} that cannot be used here"
        self.error_here(f"Expected an identifier, but {found}")
        self.bump()
        return _Node("name", start, end)

    def is_excluded(self, context: int) -> bool:
        """Whether the keyword here goes on with what is around, a loop or a comprehension."""
        if context & _NO_FOR and (
            self.kind == "for" or (self.kind == "async" and self.peek() == "for")
        ):
            return True
        return bool(context & _NO_IN) and self.kind == "in"

    def atom(self, context: int) -> _Node:
        kind, start = self.kind, self.start
        if kind in _STRINGS:
            return self.strings()
        if kind in _NUMBERS or kind in ("True", "False", "None", "..."):
            self.bump()
            return self.node(kind, start)
        if kind == "(":
            return self.parenthesized()
        if kind == "[":
            return self.list_display()
        if kind == "{":
            return self.set_or_dict()
        if kind == "name" or kind in _KEYWORDS:
            return self.identifier(context)
        self.error_here(_NO_EXPRESSION)
        return self.missing()

    def postfix(self, node: _Node, start: int, context: int) -> _Node:
        is_wrapped = node.is_wrapped
        while True:
            if self.kind == "(":
                self.arguments()
                kind = "call"
            elif self.kind == "[":
                self.subscript()
                kind = "subscript"
            elif self.kind == ".":
                self.bump()
                self.identifier(context)
                kind = "attribute"
            else:
                return node
            node = self.node(kind, start)._replace(is_wrapped=is_wrapped)

    def arguments(self, *, is_class: bool = False) -> None:
        self.bump()
        if self.eat(")"):
            return
        call = _Call()
        count, has_comma = self.separated(_TUPLE, lambda: self.argument(call))
        self.expect(")")
        if is_class or has_comma or count > 1:
            for generator in call.generators:
                message = "Unparenthesized generator expression cannot be used here"
                self.error_at(message, generator)

    def argument(self, call: _Call) -> None:
        start = self.start
        if self.eat("**"):
            self.conditional()
            call.has_unpacking = True
            return
        node = self.named(_STAR)
        if self.kind in _COMPREHENSION:
            node = self.generator(node, start)
        elif call.has_unpacking and node.is_unwrapped("starred"):
            message = "Iterable argument unpacking cannot follow keyword argument unpacking"
            self.error_at(message, node)
        span = self.span(start)
        if self.eat("="):
            call.has_keyword = True
            self.keyword(node, span)
            return
        if node.is_bare:
            call.generators.append(node)
        if not node.is_unwrapped("starred"):
            self.check_order(call, node)

    def keyword(self, name: _Node, span: tuple[int, int]) -> None:
        if name.kind != "name":
            self.error_at("Expected a parameter name", name)
        elif name.is_wrapped:
            what = f"Cannot use parenthesized keyword argument name on Python {_RUNNING}"
            self.removed.append(_Error(*span, f"{what} (syntax was removed in Python 3.8)"))
        self.conditional()

    def check_order(self, call: _Call, node: _Node) -> None:
        message = "Positional argument cannot follow keyword argument"
        if call.has_unpacking:
            self.error_at(f"{message} unpacking", node)
        elif call.has_keyword:
            self.error_at(message, node)

    def subscript(self) -> None:
        self.bump()
        start = self.start
        if self.eat("]"):
            self.error("Expected index or slice expression", *self.span(start))
            return
        slices = [self.slice()]
        if self.eat(","):
            self.separated(_SLICES, lambda: slices.append(self.slice()))
        self.expect("]")
        for node in slices:
            if node.kind == "starred":
                self.needs(11, "Cannot use star expression in index", node.start, node.end)

    def slice(self) -> _Node:
        start = self.start
        if self.kind in _EXPRESSION:
            lower = self.named(_STAR)
            if self.kind in ("]", ",", "newline", "eof"):
                return lower
            self.check_key(lower)
        self.expect(":")
        if self.kind not in (",", ":", "]", "newline", "eof"):
            self.conditional()
        if self.eat(":") and self.kind not in (",", "]", "newline", "eof"):
            self.conditional()
        return self.node("slice", start)

    def check_key(self, node: _Node) -> None:
        """What stands before a colon is neither starred nor named."""
        if node.is_unwrapped("starred"):
            self.error_at(_STAR_HERE, node)
        elif node.is_unwrapped("named"):
            self.error_at(_NAMED_HERE, node)

    def missing_end(self, what: str) -> None:
        if self.kind in _ROW_END:
            self.error_here(f"Missing closing {what}")

    def list_display(self) -> _Node:
        start = self.start
        self.bump()
        self.missing_end("bracket `]`")
        if self.eat("]"):
            return self.node("list", start)
        first = self.named(_STARRED | _NO_FOR)
        if self.kind in _COMPREHENSION:
            self.check_unpacking(first, "a list comprehension")
            self.comprehension("]")
            return self.node("list comprehension", start)
        elements = self.rest(_LIST, first, lambda: self.named(_STARRED))
        self.expect("]")
        return self.node("list", start, *elements)

    def rest(self, kind: _ListKind, first: _Node, read: Callable[[], _Node]) -> list[_Node]:
        """All elements of a list from behind the first one on."""
        if self.kind not in _SEQUENCE_END:
            self.expect(",")
        elements = [first]
        self.separated(kind, lambda: elements.append(read()))
        return elements

    def check_unpacking(self, node: _Node, where: str) -> None:
        if node.is_unwrapped("starred"):
            self.needs(15, f"Cannot use iterable unpacking in {where}", node.start, node.end)

    def rest_of_tuple(
        self, first: _Node, start: int, read: Callable[[], _Node], *, is_bare: bool = False
    ) -> _Node:
        elements = self.rest(_BARE_TUPLE if is_bare else _TUPLE, first, read)
        if not is_bare:
            self.expect(")")
        return self.node("tuple", start, *elements, is_bare=is_bare)

    def parenthesized(self) -> _Node:
        start = self.start
        self.bump()
        self.missing_end("parenthesis `)`")
        if self.eat(")"):
            return self.node("tuple", start)
        node = self.named(_ANY | _NO_FOR)
        if self.kind == ",":
            return self.rest_of_tuple(node, start, lambda: self.named(_STARRED))
        if self.kind in _COMPREHENSION:
            self.check_unpacking(node, "a generator expression")
            self.comprehension(")")
            return self.node("generator", start)
        if node.kind == "starred":
            self.error_at(_STAR_HERE, node)
        self.expect(")")
        return node._replace(is_wrapped=True)

    def generator(self, element: _Node, start: int) -> _Node:
        """A generator without parentheses, the only argument of a call."""
        self.check_unpacking(element, "a generator expression")
        self.comprehension("")
        return self.node("generator", start, is_bare=True)

    def comprehension(self, end: str) -> None:
        while self.kind in _COMPREHENSION:
            self.eat("async")
            self.expect("for")
            self.assignable(self.expression_list(_STAR | _NO_IN))
            self.expect("in")
            self.binary(0, 0)
            while self.eat("if"):
                self.binary(0, 0)
        if end:
            self.expect(end)

    def assignable(self, node: _Node, what: str = "assignment") -> None:
        """Complain of the parts of a target to which nothing can be assigned."""
        if node.kind in ("list", "tuple") or (node.kind == "starred" and what == "assignment"):
            for part in node.parts:
                self.assignable(part, what)
        elif node.kind not in ("name", "attribute", "subscript"):
            self.error_at(f"Invalid {what} target", node)

    def set_or_dict(self) -> _Node:
        start = self.start
        self.bump()
        self.missing_end("brace `}`")
        if self.eat("}"):
            return self.node("dict", start)
        first = self.start
        if self.eat("**"):
            self.unpacked(first)
            return self.node("dict", start)
        key = self.named(_STARRED | _NO_FOR)
        if self.kind == ":":
            self.check_key(key)
            self.bump()
            self.value()
            self.items()
            return self.node("dict", start)
        if self.kind in _COMPREHENSION:
            self.check_unpacking(key, "a set comprehension")
            self.comprehension("}")
        else:
            self.rest(_SET, key, lambda: self.named(_STARRED))
            self.expect("}")
        return self.node("set", start)

    def unpacked(self, start: int) -> None:
        """A dictionary or a comprehension from behind its first `**` on."""
        end = self.bitwise().end
        if self.kind in _COMPREHENSION:
            self.needs(15, "Cannot use dictionary unpacking in a dict comprehension", start, end)
            self.comprehension("}")
            return
        if self.kind == ":":
            self.error(_STAR_HERE, start, end)
            self.bump()
            self.conditional()
        self.items()

    def value(self) -> None:
        start = self.start
        if self.eat("**"):
            self.error(_STAR_HERE, start, self.bitwise().end)
        else:
            self.conditional()

    def items(self) -> None:
        """A dictionary or a comprehension from behind its first item on."""
        if self.kind in _COMPREHENSION:
            self.comprehension("}")
            return
        if self.kind not in _SEQUENCE_END:
            self.expect(",")
        self.separated(_DICT, self.item)
        self.expect("}")

    def item(self) -> None:
        if self.eat("**"):
            self.bitwise()
            return
        self.conditional()
        self.expect(":")
        self.conditional()


class _Literals(_Expressions):
    """Reads strings, f-strings and t-strings."""

    def strings(self) -> _Node:
        start = self.start
        kinds = []
        while self.kind in _STRINGS:
            kinds.append(self.string())
        node = self.node("string", start)
        for pair in itertools.pairwise(kinds):
            if pair[0] != pair[1] and (message := _mixture(pair)):
                self.error_at(message, node)
                break
        return node

    def string(self) -> str:
        """Read one literal; `bytes`, `string` or the letter of its prefix."""
        start, end, quotes, kind = self.start, self.end, self.quotes, self.kind
        self.bump()
        if kind != "string":
            letter = kind[0]
            self.elements(_LITERAL_PARTS[letter], lambda: self.part(quotes, letter))
            self.expect(f"{letter}-string end")
            if letter == "t":
                self.needs(14, "Cannot use t-strings", *self.span(start))
            return letter
        start += len(quotes.prefix) + len(quotes.quote)
        end -= len(quotes.quote) if quotes.is_closed else 0
        self.check_escapes(start, end, quotes)
        return "bytes" if quotes.is_bytes else "string"

    def check_escapes(self, start: int, end: int, quotes: _Quotes) -> None:
        literal = self.text[start:end]
        if quotes.is_bytes and not literal.isascii():
            at = start + next(index for index, char in enumerate(literal) if not char.isascii())
            self.error("bytes can only contain ASCII literal characters", at, at + 1)
        elif not quotes.is_raw and (found := _wrong_escape(literal, is_bytes=quotes.is_bytes)):
            self.error(found.message, start + found.start, start + found.end)

    def part(self, quotes: _Quotes, letter: str) -> None:
        """A replacement field of an f-string, or the text between two of them."""
        if self.kind == "{":
            self.field(quotes, letter)
            return
        start, end = self.start, self.end
        self.bump()
        if not quotes.is_raw and (found := _wrong_escape(self.text[start:end], is_part=True)):
            self.error(found.message, start + found.start, start + found.end)

    def field(self, quotes: _Quotes, letter: str) -> None:
        start, prefix = self.start, f"{letter}-string: "
        self.bump()
        self.relex_quote()
        value = self.expression_list(_ANY)
        if value.is_unwrapped("lambda"):
            message = "lambda expressions are not allowed without parentheses"
            self.error_at(prefix + message, value)
        self.eat("=")
        if self.eat("!"):
            self.conversion(prefix)
        spec = None
        if self.eat(":"):
            spec = self.start
            self.deeper()
            self.elements(_SPEC_PARTS[letter], lambda: self.part(quotes, letter))
            self.depth -= 1
            spec = self.span(spec)[0]
        self.relex_quote()
        if not self.eat("}"):
            self.error_here(f"{prefix}expecting `}}`")
        if letter == "f":
            self.check_age(*self.span(start), spec, quotes)

    def conversion(self, prefix: str) -> None:
        """What stands behind the exclamation mark."""
        self.relex_raw()
        start, end = self.start, self.end
        if self.kind != "name":
            self.error_here(f"{prefix}invalid conversion character")
            self.bump()
            return
        if start != self.previous_end:
            message = "conversion type must come right after the exclamation mark"
            self.error(prefix + message, self.previous_end, start)
        self.bump()
        if self.text[start:end] not in ("s", "r", "a"):
            self.error(f"{prefix}invalid conversion character", start, end)

    def check_age(self, start: int, end: int, spec: int | None, quotes: _Quotes) -> None:
        """What fields of f-strings may hold since Python 3.12 only, up to the format."""
        end = end if spec is None else spec
        field = self.text[start:end]
        is_plain = True
        for at, char in enumerate(field, start):
            if char == "\\":
                is_plain = False
                what = "Cannot use an escape sequence (backslash) in f-strings"
                self.needs(12, what, at, at + 1)
        if (at := field.find(quotes.quote)) >= 0:
            begin = start + at
            what = "Cannot reuse outer quote character in f-strings"
            self.needs(12, what, begin, begin + len(quotes.quote))
        for comment in self.comments:
            if start <= comment[0] < end:
                is_plain = False
                self.needs(12, "Cannot use comments in f-strings", *comment)
        if is_plain and len(quotes.quote) == 1 and ("\n" in field or "\r" in field):
            what = "Cannot use line breaks in non-triple-quoted f-string replacement fields"
            self.needs(12, what, start, start + 1)


def _mixture(pair: tuple[str, str]) -> str:
    """What is wrong about two different literals in a row; empty if nothing."""
    if "t" in pair:
        return "Cannot mix t-string literals with string or bytes literals"
    if "bytes" in pair:
        return "Bytes literal cannot be mixed with non-bytes literals"
    return ""


_ESCAPE = re.compile(r"\\(?:([xuUN])|.)", re.DOTALL)
_HEX = {
    "x": re.compile(r"[0-9a-fA-F]{0,2}"),
    "u": re.compile(r"[0-9a-fA-F]{0,4}"),
    "U": re.compile(r"[0-9a-fA-F]{0,8}"),
}
_HEX_LENGTH = {"x": 2, "u": 4, "U": 8}
_NO_CHARACTER = "Got unexpected unicode"


def _wrong_escape(literal: str, *, is_bytes: bool = False, is_part: bool = False) -> _Error | None:
    """The first escape in a literal that stands for no character; offsets count from its start.

    Only a whole literal, not a part of an f-string, can break off behind a backslash.
    """
    at = literal.find("\\")
    while at >= 0:
        found = _ESCAPE.match(literal, at)
        if found is None:
            return None if is_part else _Error(at + 1, at + 1, "Got unexpected string")
        at, letter = found.end(), found[1]
        if letter == "x" or (letter and not is_bytes):
            read = _wrong_name if letter == "N" else _wrong_digits
            error, at = read(literal, at, letter)
            if error is not None:
                return error
        at = literal.find("\\", at)
    return None


def _wrong_digits(literal: str, at: int, letter: str) -> tuple[_Error | None, int]:
    found = _HEX[letter].match(literal, at)
    digits = found.group() if found is not None else ""
    at += len(digits)
    if len(digits) < _HEX_LENGTH[letter]:
        return _Error(at, min(at + 1, len(literal)), _NO_CHARACTER), at
    is_wrong = int(digits, 16) > sys.maxunicode
    return (_Error(at, at, _NO_CHARACTER) if is_wrong else None), at


def _wrong_name(literal: str, at: int, _: str) -> tuple[_Error | None, int]:
    if literal[at : at + 1] != "{":
        return _Error(at, at, "Missing `{` in Unicode escape sequence"), at
    end = literal.find("}", at)
    if end < 0:
        end = len(literal)
        return _Error(end, end, "Missing `}` in Unicode escape sequence"), end
    try:
        is_known = len(unicodedata.lookup(literal[at + 1 : end])) == 1
    except KeyError:
        is_known = False
    return (None if is_known else _Error(at + 1, end, _NO_CHARACTER)), end + 1


class _Patterns(_Literals):
    """Reads the patterns of `match`."""

    def case_pattern(self) -> None:
        start = self.start
        pattern = self.pattern(may_star=True)
        if self.kind == ",":
            self.sequence_pattern(pattern, start, ": if")
        elif pattern.kind == "star":
            self.error_at(_STAR_PATTERN, pattern)

    def pattern(self, *, may_star: bool = False) -> _Node:
        start = self.start
        pattern = self.closed_pattern(may_star=may_star)
        if self.kind == "|":
            self.check_star(pattern)
            while self.eat("|"):
                self.closed_pattern()
            pattern = self.node("or", start)
        if self.eat("as"):
            self.check_star(pattern)
            self.capture()
            pattern = self.node("as", start)
        return pattern

    def check_star(self, pattern: _Node) -> None:
        if pattern.kind == "star":
            self.error_at(_STAR_PATTERN, pattern)

    def capture(self) -> None:
        """The name that a pattern gives to what it matches."""
        name = self.identifier()
        if self.text[name.start : name.end] == "_":
            self.error_at("cannot use '_' as a target", name)

    def closed_pattern(self, *, may_star: bool = False) -> _Node:
        self.deeper()
        start = self.start
        if self.kind == "{":
            pattern = self.mapping_pattern()
        elif self.kind == "*":
            self.bump()
            self.identifier()
            pattern = self.node("star", start)
            if not may_star:
                self.check_star(pattern)
        elif self.kind in ("(", "["):
            pattern = self.bracketed_pattern()
        else:
            pattern = self.literal_pattern()
        if self.kind == "(":
            pattern = self.class_pattern(pattern, start)
        if self.kind in ("+", "-"):
            pattern = self.complex_pattern(pattern, start)
        self.depth -= 1
        return pattern

    def mapping_pattern(self) -> _Node:
        start = self.start
        rests: list[_Node] = []
        self.bump()
        self.separated(_MAPPING_PATTERN, lambda: self.mapping_item(rests))
        self.expect("}")
        return self.node("mapping", start)

    def mapping_item(self, rests: list[_Node]) -> None:
        start = self.start
        if self.eat("**"):
            self.capture()
            rest = self.node("rest", start)
            if rests:
                self.error_at("Only one double star pattern is allowed", rest)
            rests.append(rest)
            return
        key = self.closed_pattern()
        if key.kind not in _VALUE_PATTERNS:
            self.error_at("Invalid mapping pattern key", key)
        self.expect(":")
        self.pattern()
        if rests:
            message = "Pattern cannot follow a double star pattern"
            self.error_at(message, self.node("item", start))

    def bracketed_pattern(self) -> _Node:
        start = self.start
        end = ")" if self.kind == "(" else "]"
        self.bump()
        if self.kind in ("newline", ":"):
            self.error_here(f"Missing '{end}'")
        if self.eat(end):
            return self.node("sequence", start)
        pattern = self.pattern(may_star=True)
        if end == "]" or self.kind == ",":
            return self.sequence_pattern(pattern, start, end)
        self.expect(end)
        return pattern

    def sequence_pattern(self, first: _Node, start: int, end: str) -> _Node:
        is_last = end in (")", "]") and (self.kind == end or self.peek() == end)
        if is_last:
            self.eat(",")
        else:
            self.expect(",")
        self.separated(_SEQUENCE_PATTERN[end], lambda: self.pattern(may_star=True))
        if end in (")", "]"):
            self.expect(end)
        return self.node("sequence", start)

    def literal_pattern(self) -> _Node:
        kind, start = self.kind, self.start
        if kind in ("None", "True", "False"):
            self.bump()
            return self.node("singleton", start)
        if kind in _STRINGS:
            return self.strings()
        if kind in _NUMBERS:
            self.bump()
            return self.node(kind, start)
        if kind in ("+", "-") and self.peek() in _NUMBERS:
            return self.signed_pattern()
        if kind == "name" or kind in _KEYWORDS:
            return self.name_pattern()
        self.error_here("Expected a pattern")
        return self.missing()._replace(kind="value")

    def signed_pattern(self) -> _Node:
        start, sign = self.start, self.kind
        self.bump()
        number = self.binary(_SIGN, 0)
        if sign == "+":
            self.needs(15, "Unary '+' is not allowed in a literal pattern", *self.span(start))
        return self.node("real" if number.kind in ("int", "float") else "value", start)

    def name_pattern(self) -> _Node:
        start = self.start
        if self.peek() != ".":
            name = self.identifier()
            is_wildcard = self.text[name.start : name.end] == "_"
            return name._replace(kind="wildcard") if is_wildcard else name
        self.identifier()
        while self.eat("."):
            self.identifier()
        return self.node("attribute", start)

    def complex_pattern(self, real: _Node, start: int) -> _Node:
        self.bump()
        if real.kind not in ("int", "float", "real"):
            self.error_at("Expected a real number in complex literal pattern", real)
        imaginary = self.closed_pattern()
        if imaginary.kind != "complex":
            self.error_at("Expected an imaginary number in complex literal pattern", imaginary)
        return self.node("value", start)

    def class_pattern(self, name: _Node, start: int) -> _Node:
        if name.kind not in ("name", "attribute"):
            self.error_at("Invalid value for a class pattern", name)
        self.bump()
        keywords: list[_Node] = []
        self.separated(_CLASS_PATTERN, lambda: self.class_argument(keywords))
        self.expect(")")
        return self.node("class", start)

    def class_argument(self, keywords: list[_Node]) -> None:
        start = self.start
        pattern = self.pattern()
        if self.eat("="):
            keywords.append(pattern)
            if pattern.kind != "name":
                self.error_at("Expected an identifier for the keyword pattern", pattern)
            self.pattern()
        elif keywords:
            message = "Positional patterns cannot follow keyword patterns"
            self.error_at(message, self.node("argument", start))


_STAR_PATTERN = "Star pattern cannot be used here"
_VALUE_PATTERNS = _NUMBERS | _set("string singleton attribute real value")


class _Parameters:
    """What has been seen of the parameters of a function."""

    def __init__(self) -> None:
        self.count = 0
        self.has_default = False
        self.has_slash = False
        self.has_star = False
        self.has_star_name = False
        self.has_double_star = False
        self.has_keyword_only = False
        # The `*` behind which no parameter has come so far.
        self.bare_star: tuple[int, int] | None = None


class _Parser(_Patterns):
    """Reads a module."""

    def read(self) -> None:
        """Read the whole text."""
        self.elements(_MODULE, self.statement)

    def statement(self) -> None:
        compound = _COMPOUND_READERS.get(self.kind)
        if compound is not None:
            compound(self)
        elif self.kind == "match" and self.is_match():
            self.match_statement()
        else:
            self.simple_row()

    def simple_row(self) -> None:
        self.simple()
        has_semicolon = self.eat(";")
        if self.eat("newline"):
            return
        if not has_semicolon and self.kind in _SIMPLE:
            self.error_here(_ON_ONE_ROW)
        elif self.is_compound():
            self.error_here(_COMPOUND_ON_ROW)

    def is_compound(self) -> bool:
        return self.kind in _COMPOUND and (self.kind != "match" or self.is_match())

    def simple_rest(self) -> None:
        """The simple statements behind the colon of a compound one."""
        while True:
            self.simple()
            if not self.eat(";"):
                if self.kind not in _SIMPLE:
                    break
                self.error_here(_ON_ONE_ROW)
            if self.kind not in _SIMPLE:
                break
        if self.eat("newline"):
            return
        if self.is_compound():
            self.error_here(_COMPOUND_ON_ROW)
        else:
            self.error_here(f"Expected newline, found {_shown(self.kind)}")

    def simple(self) -> None:
        reader = _SIMPLE_READERS.get(self.kind)
        if reader is not None:
            reader(self)
        elif self.kind == "lazy" and self.peek() in ("import", "from"):
            what = "Cannot use `lazy` import statement"
            self.needs(15, what, self.start, self.end)
            self.bump()
            _SIMPLE_READERS[self.kind](self)
        elif self.kind == "type" and self.is_type_alias():
            self.type_alias()
        else:
            self.expression_statement()

    def is_type_alias(self) -> bool:
        first, second = self.peek2()
        return first in _NAMES and second in ("[", "=")

    def expression_statement(self) -> None:
        target = self.expression_list(_ANY)
        if self.kind == "=":
            self.assignment(target)
        elif self.kind == ":":
            self.annotation(target)
        elif self.kind in _AUGMENTED:
            self.bump()
            if target.kind not in ("name", "attribute", "subscript"):
                self.error_at("Invalid augmented assignment target", target)
            self.expression_list(_ANY)

    def assignment(self, target: _Node) -> None:
        self.bump()
        sides = [target, self.expression_list(_ANY)]

        def read() -> None:
            self.bump()
            sides.append(self.expression_list(_ANY))

        if self.kind == "=":
            self.elements(_ASSIGNED, read)
        for side in sides[:-1]:
            self.assignable(side)

    def annotation(self, target: _Node) -> None:
        self.bump()
        if target.kind in ("list", "tuple"):
            self.error_at(f"Only single target (not {target.kind}) can be annotated", target)
        elif target.kind not in ("name", "attribute", "subscript"):
            self.error_at("Invalid annotated assignment target", target)
        self.conditional()
        if self.eat("="):
            self.or_error(lambda: self.expression_list(_ANY))

    def or_error(self, read: Callable[[], object], message: str = _NO_EXPRESSION) -> None:
        """Read an expression if one begins here."""
        if self.kind in _EXPRESSION:
            read()
        else:
            self.error_here(message)

    def type_alias(self) -> None:
        what = "Cannot use `type` alias statement"
        self.needs(12, what, self.start, self.end)
        self.bump()
        self.identifier()
        self.type_parameters(is_alias=True)
        self.expect("=")
        self.conditional()

    def type_parameters(self, *, is_alias: bool = False) -> None:
        if self.kind != "[":
            return
        start = self.start
        self.bump()
        count, _ = self.separated(_TYPE_PARAMETERS, self.type_parameter)
        if not count:
            self.error_here("Type parameter list cannot be empty")
        self.expect("]")
        if not is_alias:
            self.needs(12, "Cannot use type parameter lists", *self.span(start))

    def type_parameter(self) -> None:
        if self.eat("*"):
            self.identifier()
            if self.eat("="):
                self.or_error(lambda: self.conditional(_STARRED))
            return
        is_double = self.eat("**")
        self.identifier()
        if not is_double and self.eat(":"):
            self.or_error(self.conditional)
        start = self.start
        if self.eat("="):
            has_default = self.kind in _EXPRESSION
            self.or_error(self.conditional)
            if has_default and not is_double:
                what = "Cannot set default type for a type parameter"
                self.needs(13, what, *self.span(start))

    def keyword_statement(self) -> None:
        self.bump()

    def return_statement(self) -> None:
        self.bump()
        if self.kind in _EXPRESSION:
            self.expression_list(_STARRED)

    def raise_statement(self) -> None:
        self.bump()
        if self.kind == "from":
            self.error_here("Exception missing in `raise` statement with cause")
        elif self.kind not in ("newline", ";"):
            self.raised()
        if self.eat("from"):
            self.raised()

    def raised(self) -> None:
        node = self.expression_list()
        if node.kind == "tuple" and node.is_bare:
            self.error_at(_TUPLE_HERE, node)

    def delete_statement(self) -> None:
        self.bump()
        count, _ = self.separated(
            _TARGETS, lambda: self.assignable(self.conditional(_STAR), "delete")
        )
        if not count:
            self.error_here("Delete statement must have at least one target")

    def assert_statement(self) -> None:
        self.bump()
        self.conditional()
        if self.eat(","):
            self.or_error(self.conditional)

    def scope_statement(self) -> None:
        """`global` and `nonlocal`."""
        word = self.kind.capitalize()
        self.bump()
        count, _ = self.separated(_IDENTIFIERS, self.identifier)
        if not count:
            self.error_here(f"{word} statement must have at least one name")

    def import_statement(self) -> None:
        self.bump()
        count, _ = self.separated(_MODULES, lambda: self.alias(self.dotted))
        if not count:
            self.error_here(_NO_IMPORTS)

    def dotted(self) -> None:
        self.identifier()
        while self.eat("."):
            self.identifier()

    def alias(self, read: Callable[[], object]) -> None:
        read()
        if not self.eat("as"):
            return
        if self.kind in _NAMES:
            self.identifier()
        else:
            self.error_here("Expected symbol after `as`")

    def from_statement(self) -> None:
        self.bump()
        has_dots = False
        while self.eat(".") or self.eat("..."):
            has_dots = True
        if self.kind in _NAMES:
            self.dotted()
        elif not has_dots:
            self.error_here("Expected a module name")
        self.expect("import")
        start = self.start
        has_brackets = self.eat("(")
        names: list[str] = []
        kind = _IMPORTED_IN_BRACKETS if has_brackets else _IMPORTED
        self.separated(kind, lambda: self.imported(names))
        self.check_imported(names, start, has_brackets=has_brackets)
        if has_brackets:
            self.expect(")")

    def imported(self, names: list[str]) -> None:
        names.append(self.kind)
        if not self.eat("*"):
            self.alias(self.identifier)

    def check_imported(self, names: list[str], start: int, *, has_brackets: bool) -> None:
        if not names:
            self.error_here(_NO_IMPORTS)
        if "*" in names and has_brackets:
            self.error("Star import cannot be parenthesized", *self.span(start))
        if "*" in names and len(names) > 1:
            self.error("Star import must be the only import", *self.span(start))

    def if_statement(self) -> None:
        self.clause("`if` statement", self.named)
        known, self.known = self.known, self.known | _set("elif else")
        while self.kind == "elif":
            self.clause("`elif` clause", self.named)
        self.known = known
        if self.kind == "else":
            self.clause("`else` clause")

    def clause(self, what: str, read: Callable[[], object] | None = None) -> None:
        """A keyword, what `read` reads, a colon and a body."""
        self.bump()
        if read is not None:
            read()
        self.expect(":")
        self.body(what)

    def while_statement(self) -> None:
        self.clause("`while` statement", self.named)
        self.else_clause()

    def else_clause(self) -> None:
        if self.kind == "else":
            self.clause("`else` clause")

    def for_statement(self) -> None:
        self.clause("`for` statement", self.for_header)
        self.else_clause()

    def for_header(self) -> None:
        self.assignable(self.expression_list(_STAR | _NO_IN))
        self.expect("in")
        self.expression_list(_STARRED)

    def try_statement(self) -> None:
        self.clause("`try` statement")
        has_except = self.kind == "except"
        known, self.known = self.known, self.known | _set("except else finally")
        clauses: list[tuple[bool, _Node]] = []
        while self.kind == "except":
            clauses.append(self.except_clause())
        self.known = known
        for is_star, clause in clauses:
            if is_star != clauses[0][0]:
                message = "Cannot have both 'except' and 'except*' on the same 'try'"
                self.error_at(message, clause)
        self.else_clause()
        has_finally = self.kind == "finally"
        if has_finally:
            self.clause("`finally` clause")
            if self.kind == "else":
                self.error_here("`else` block must come before `finally` block")
        elif not has_except:
            self.error_here("Expected `except` or `finally` after `try` block")

    def except_clause(self) -> tuple[bool, _Node]:
        """One clause, and whether it has a star."""
        start = self.start
        self.bump()
        star = self.start, self.end
        is_star = self.eat("*")
        if self.kind in _EXPRESSION:
            self.exception_types()
        elif is_star or self.kind == "as":
            self.error_here("Expected one or more exception types")
        if self.eat("as"):
            if self.kind in _NAMES:
                self.identifier()
            else:
                self.error_here("Expected name after `as`")
        self.expect(":")
        self.body("`except` clause")
        if is_star:
            self.needs(11, "Cannot use `except*`", *star)
        return is_star, self.node("except", start)

    def exception_types(self) -> None:
        types = self.expression_list()
        if types.kind != "tuple" or not types.is_bare:
            return
        message = "Multiple exception types must be parenthesized"
        if self.kind == "as":
            self.error_at(f"{message} when using `as`", types)
        else:
            self.needs(14, message, types.start, types.end)

    def async_statement(self) -> None:
        self.bump()
        if self.kind in ("def", "with", "for"):
            _COMPOUND_READERS[self.kind](self)
            return
        found = _shown(self.kind)
        self.error_here(f"Expected `def`, `with` or `for` to follow `async`, found {found}")
        self.deeper()
        self.statement()
        self.depth -= 1

    def decorated(self) -> None:
        while self.eat("@"):
            if self.kind in ("def", "class"):
                self.error_here("Expected an identifier")
            else:
                self.named()
            self.expect("newline")
        if self.kind == "async" and self.peek() == "def":
            self.bump()
        if self.kind in ("def", "class"):
            _COMPOUND_READERS[self.kind](self)
            return
        expected = "Expected class, function definition or async function definition"
        self.error_here(f"{expected} after decorator")

    def function_definition(self) -> None:
        self.bump()
        self.identifier()
        self.type_parameters()
        self.expect("(")
        self.parameters(_PARAMETERS)
        if self.eat("->"):
            self.or_error(self.returned)
        self.expect(":")
        self.body("function definition")

    def returned(self) -> None:
        node = self.expression_list()
        if node.kind == "tuple" and node.is_bare:
            self.error_at("Multiple return types must be parenthesized", node)

    def class_definition(self) -> None:
        self.bump()
        self.identifier()
        self.type_parameters()
        if self.kind == "(":
            self.arguments(is_class=True)
        self.expect(":")
        self.body("`class` definition")

    def with_statement(self) -> None:
        self.clause("`with` statement", self.with_items)

    def with_items(self) -> None:
        if self.kind not in _EXPRESSION:
            self.error_here("Expected the start of an expression after `with` keyword")
            return
        if self.kind != "(":
            self.separated(_WITH_ITEMS, lambda: self.with_item(self.conditional))
        elif not self.with_items_in_brackets():
            self.separated(_WITH_EXPRESSIONS, lambda: self.with_item(self.conditional))

    def with_item(self, read: Callable[[], _Node]) -> tuple[_Node, bool]:
        """One item, and whether it has a target."""
        node = read()
        if not self.eat("as"):
            return node, False
        self.assignable(self.conditional(_STAR))
        return node, True

    def with_items_in_brackets(self) -> bool:
        """Read the items if the parenthesis is around all of them, else nothing."""
        state = self.checkpoint()
        self.bump()
        items: list[tuple[_Node, bool]] = []
        self.separated(
            _WITH_ITEMS_IN_BRACKETS, lambda: items.append(self.with_item(self.named_any))
        )
        wrong = [node for node, _ in items if not node.is_wrapped and node.kind in _NOT_ITEMS]
        if any(has_target for _, has_target in items):
            for node in wrong:
                self.error_at(_NOT_ITEMS[node.kind], node)
        elif not items or wrong or not self.is_header_end():
            self.rewind(state)
            return False
        self.expect(")")
        return True

    def named_any(self) -> _Node:
        return self.named(_ANY)

    def is_header_end(self) -> bool:
        return self.kind == ")" and self.peek() in (":", "newline")

    def is_match(self) -> bool:
        """Whether a `match` statement begins here; `match` can be a name, too."""
        first, second = self.peek2()
        if first not in ("(", "[", "*", "+", "-"):
            return first in _MATCH_SUBJECT and (first, second) != ("not", "in")
        state = self.checkpoint()
        self.bump()
        self.match_subject()
        is_match = self.is_match_header()
        self.rewind(state)
        return is_match

    def match_statement(self) -> None:
        self.bump()
        self.match_subject()
        self.match_body()

    def is_match_header(self) -> bool:
        if self.kind == ":":
            return self.peek() == "newline"
        return self.kind == "newline" and self.peek2() == ("indent", "case")

    def match_subject(self) -> None:
        start = self.start
        subject = self.named(_STARRED)
        if self.kind == ",":
            self.rest_of_tuple(subject, start, lambda: self.named(_STARRED), is_bare=True)
        elif subject.is_unwrapped("starred"):
            self.error_at(_STAR_HERE, subject)

    def match_body(self) -> None:
        self.expect(":")
        self.expect("newline")
        if not self.eat("indent"):
            self.error_here("Expected an indented block after `match` statement")
        if self.kind != "case":
            self.error_here("Expected `case` block")
        while self.kind == "case":
            self.clause("`case` block", self.case_header)
        self.expect("dedent")

    def case_header(self) -> None:
        self.case_pattern()
        if self.eat("if"):
            self.or_error(self.named)

    def body(self, what: str) -> None:
        row_end = self.start, self.end
        if not self.eat("newline"):
            if self.kind in _SIMPLE:
                self.simple_rest()
            else:
                self.error_here("Expected a simple statement")
            return
        if self.kind == "indent":
            self.block()
            return
        is_empty = self.start == self.end
        here = row_end if is_empty else (self.start, self.end)
        self.error(f"Expected an indented block after {what}", *here)

    def block(self) -> None:
        self.bump()
        self.deeper()
        self.elements(_BLOCK, self.statement)
        self.depth -= 1
        self.expect("dedent")

    def parameters(self, kind: _ListKind) -> None:
        seen = _Parameters()
        self.separated(kind, lambda: self.parameter(kind, seen))
        if seen.bare_star is not None:
            self.error(_NO_KEYWORD_ONLY, *seen.bare_star)
        if kind is _PARAMETERS:
            self.expect(")")

    def parameter(self, kind: _ListKind, seen: _Parameters) -> None:
        if seen.has_double_star:
            self.error_here("Parameter cannot follow var-keyword parameter")
        if self.kind == "*":
            self.star_parameter(kind, seen)
        elif self.kind == "**":
            self.double_star_parameter(kind, seen)
        elif self.kind == "/":
            self.slash(seen)
        else:
            self.plain_parameter(kind, seen)

    def parameter_name(self, kind: _ListKind, *, may_star: bool = False) -> None:
        self.identifier()
        if kind is not _PARAMETERS or not self.eat(":"):
            return
        if not may_star:
            self.or_error(self.conditional)
            return
        self.or_error(self.star_annotation)

    def star_annotation(self) -> None:
        node = self.conditional(_STARRED)
        if node.kind == "starred":
            self.needs(11, "Cannot use star annotation", node.start, node.end)

    def star_parameter(self, kind: _ListKind, seen: _Parameters) -> None:
        start, end = self.start, self.end
        self.bump()
        if self.kind not in _NAMES:
            if seen.has_star:
                self.error("Only one '*' separator allowed", start, end)
            if seen.has_star_name:
                message = "Keyword-only parameter separator not allowed after '*' parameter"
                self.error(message, start, end)
            seen.has_star = True
            seen.bare_star = start, end
            return
        self.parameter_name(kind, may_star=True)
        span = self.span(start)
        self.check_no_default()
        if seen.has_star or seen.has_star_name:
            self.error("Only one '*' parameter allowed", *span)
        seen.has_star_name = True
        seen.bare_star = None

    def check_no_default(self) -> None:
        if self.kind == "=":
            self.error_here("Parameter with `*` or `**` cannot have default value")

    def double_star_parameter(self, kind: _ListKind, seen: _Parameters) -> None:
        start = self.start
        self.bump()
        self.parameter_name(kind)
        span = self.span(start)
        if seen.has_double_star:
            self.error("Only one '**' parameter allowed", *span)
        self.check_no_default()
        if seen.has_star and not seen.has_keyword_only:
            self.error(_NO_KEYWORD_ONLY, *span)
        seen.has_double_star = True
        seen.bare_star = None

    def slash(self, seen: _Parameters) -> None:
        start, end = self.start, self.end
        self.bump()
        if not (seen.count or seen.has_star_name or seen.has_double_star):
            message = "Position-only parameter separator not allowed as first parameter"
            self.error(message, start, end)
        if seen.has_slash:
            self.error("Only one '/' separator allowed", start, end)
        if seen.has_star or seen.has_star_name:
            self.error("'/' parameter must appear before '*' parameter", start, end)
        seen.has_slash = True
        seen.bare_star = None

    def plain_parameter(self, kind: _ListKind, seen: _Parameters) -> None:
        start = self.start
        self.parameter_name(kind)
        has_default = False
        if self.eat("="):
            has_default = self.kind in _EXPRESSION
            self.or_error(self.conditional)
        if seen.has_default and not (has_default or seen.has_star or seen.has_star_name):
            message = "Parameter without a default cannot follow a parameter with a default"
            self.error(message, *self.span(start))
        seen.has_default |= has_default
        seen.has_keyword_only |= seen.has_star
        seen.count += 1
        seen.bare_star = None


_ON_ONE_ROW = "Simple statements must be separated by newlines or semicolons"
_COMPOUND_ON_ROW = "Compound statements are not allowed on the same line as simple statements"
_NO_IMPORTS = "Expected one or more symbol names after import"
_NO_KEYWORD_ONLY = "Expected one or more keyword parameter after `*` separator"
_NOT_ITEMS = {"named": _NAMED_HERE, "starred": _STAR_HERE, "yield": _YIELD_HERE}
_MATCH_SUBJECT = (
    _set("name { ~ ... not await yield lambda True False None") | _NUMBERS | _STRINGS | _SOFT
)
_SIMPLE_READERS: dict[str, Callable[[_Parser], None]] = {
    "return": _Parser.return_statement,
    "import": _Parser.import_statement,
    "from": _Parser.from_statement,
    "pass": _Parser.keyword_statement,
    "continue": _Parser.keyword_statement,
    "break": _Parser.keyword_statement,
    "raise": _Parser.raise_statement,
    "del": _Parser.delete_statement,
    "assert": _Parser.assert_statement,
    "global": _Parser.scope_statement,
    "nonlocal": _Parser.scope_statement,
}
_COMPOUND_READERS: dict[str, Callable[[_Parser], None]] = {
    "if": _Parser.if_statement,
    "for": _Parser.for_statement,
    "while": _Parser.while_statement,
    "def": _Parser.function_definition,
    "class": _Parser.class_definition,
    "try": _Parser.try_statement,
    "with": _Parser.with_statement,
    "@": _Parser.decorated,
    "async": _Parser.async_statement,
}
