"""The C that users of simsys wrote: read into trees, never run (Krieg 1992, sections 4.3.5 to 4.3.8, A.7).

What is read is what such code is made of: declarations, assignments, `if`, `for`, `return`, arithmetic,
calls, functions of the old and the new style. A tree is a tuple whose first element says what it is:

    ("number", 2.0, True)  whole or not      ("name", "zt")            ("call", "sin", (argument, ...))
    ("index", tree, tree)                    ("field", tree, "phi")    ("address", tree)
    ("unary", "-", tree)                     ("binary", "*", tree, tree)
    ("choice", tree, tree, tree)             ("text",)                 a string, which means nothing here
    ("set", place, tree)                     ("do", tree)              ("block", (statement, ...))
    ("if", tree, statement, statement)       ("for", start, test, next, statement)
    ("return", tree)                         ("declare", name, tree or None)
"""

import re
from dataclasses import dataclass
from typing import Any

from stoss.engine.exchange.simsys.files import Line

__all__ = ["Code", "Function", "Token", "Tree", "functions", "snippets", "statements", "tokens"]

Tree = tuple[Any, ...]

DEEPEST = 60  # trees within one another

_TOKENS = re.compile(
    r"(?P<space>\s+)|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[fFlL]?|(?P<name>[A-Za-z_]\w*)"
    r'|(?P<text>"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\')'
    r"|(?P<sign>\+\+|--|&&|\|\||->|[-+*/%<>=!&|^]=|<<|>>|[-+*/%<>=!&|^~?:;,.(){}\[\]#])"
)
_TYPES = {"int", "double", "float", "long", "short", "char", "void", "unsigned", "signed", "FILE", "Bool"}
_TYPES |= {"static", "const", "register", "struct", "extern", "tKoordSatz", "tHebel", "tVektor", "intd"}
_BINDS = [["||"], ["&&"], ["==", "!="], ["<", ">", "<=", ">="], ["+", "-"], ["*", "/", "%"]]
_SETS = ("=", "+=", "-=", "*=", "/=")


@dataclass(frozen=True)
class Token:
    """A word or a sign of C, and where it is."""

    kind: str
    text: str
    line: Line


@dataclass(frozen=True)
class Code:
    """A piece of code that gives something its value: `Name(1:2) { ... }`.

    Args:
        name: of the variable that it sets.
        numbers: in the parentheses.
        line: where it begins.
        body: its tokens, without the braces.
        text: as it is written, in one line.
    """

    name: str
    numbers: tuple[int, ...]
    line: Line
    body: tuple[Token, ...]
    text: str


@dataclass(frozen=True)
class Function:
    """A function of the user: names of its arguments, and its body as tokens."""

    name: str
    arguments: tuple[str, ...]
    body: tuple[Token, ...]


def tokens(lines: list[Line]) -> list[Token]:
    """Return the tokens of lines, without comments.

    Raises:
        ModelError: a sign is none of C, or a comment does not end.
    """
    found: list[Token] = []
    comment: Line | None = None
    for line in lines:
        text, at = line.text, 0
        while at < len(text):
            if comment is not None:
                end = text.find("*/", at)
                if end < 0:
                    break
                comment, at = None, end + 2
                continue
            if text.startswith("/*", at):
                comment, at = line, at + 2
                continue
            match = _TOKENS.match(text, at)
            if match is None:
                raise line.error(f"column {at + 1}: {text[at]!r} is no sign of C")
            kind = match.lastgroup or ""
            if kind != "space":
                found.append(Token(kind, match[kind], line))
            at = match.end()
    if comment is not None:
        raise comment.error("the comment does not end with */")
    return found


def snippets(lines: list[Line], separators: str) -> list[Code]:
    """Return the pieces of code of a block.

    Args:
        lines: of the block, without comment lines.
        separators: signs between the numbers in the parentheses: ":" for `Name(5:2)`.

    Raises:
        ModelError: something else stands there.
    """
    stream = _Stream(tokens(lines))
    found: list[Code] = []
    while not stream.done:
        first = stream.next("name", "the name of a variable, as in 'Name(1) { ... }'")
        stream.sign("(")
        numbers = [_whole(stream)]
        for separator in separators:
            stream.sign(separator)
            numbers.append(_whole(stream))
        stream.sign(")")
        body = stream.braced()
        text = " ".join(token.text for token in body)
        found.append(Code(first.text, tuple(numbers), first.line, tuple(body), text))
    return found


def _whole(stream: "_Stream") -> int:
    token = stream.next("number", "a whole number")
    if not token.text.isdigit() or int(token.text) < 1:
        raise token.line.error(f"{token.text} is no number of a body, lever or joint; they count from 1")
    return int(token.text)


def functions(lines: list[Line]) -> dict[str, Function]:
    """Return the functions that a file defines, by name; what else it says is passed by.

    Raises:
        ModelError: braces do not close.
    """
    stream = _Stream([token for token in tokens([one for one in lines if not _directive(one)])])
    found: dict[str, Function] = {}
    before: list[Token] = []
    while not stream.done:
        if not stream.sees("{"):
            before.append(stream.take())
            if before[-1].text == ";" and not _open_head(before):
                before = []
            continue
        body = stream.braced()
        head = _head(before)
        if head is not None:
            found[head[0]] = Function(head[0], head[1], tuple(body))
        before = []
    return found


def _directive(line: Line) -> bool:
    return line.text.lstrip().startswith("#")


def _open_head(before: list[Token]) -> bool:
    """Return whether tokens that end in ";" are the head of a function of the old style."""
    signs = [token.text for token in before]
    if ")" not in signs:
        return False
    rest = signs[signs.index(")") + 1 :]
    return bool(rest) and rest[0] != ";"


def _head(before: list[Token]) -> tuple[str, tuple[str, ...]] | None:
    """Return name and arguments of a function from the tokens in front of its body."""
    signs = [token.text for token in before]
    if "(" not in signs or ")" not in signs:
        return None
    opening, closing = signs.index("("), signs.index(")")
    if opening == 0 or before[opening - 1].kind != "name":
        return None
    arguments, last = [], ""
    for token in before[opening + 1 : closing]:
        if token.text == ",":
            arguments.append(last)
        elif token.kind == "name":
            last = token.text
    if last:
        arguments.append(last)
    return before[opening - 1].text, tuple(one for one in arguments if one != "void")


def statements(body: tuple[Token, ...]) -> tuple[Tree, ...]:
    """Return the statements of a body.

    Raises:
        ModelError: it is beyond the C that is read here; says where.
    """
    stream = _Stream(list(body))
    found: list[Tree] = []
    while not stream.done:
        found += _statement(stream, 0)
    return tuple(found)


class _Stream:
    """Tokens from left to right."""

    def __init__(self, found: list[Token]) -> None:
        self._tokens, self._at = found, 0

    @property
    def done(self) -> bool:
        return self._at >= len(self._tokens)

    def take(self) -> Token:
        if self.done:
            raise self.wrong("more")
        self._at += 1
        return self._tokens[self._at - 1]

    def sees(self, *signs: str) -> bool:
        return not self.done and self._tokens[self._at].text in signs

    def has(self, *signs: str) -> str:
        """Pass by one of some signs if it is there, and return it."""
        return self.take().text if self.sees(*signs) else ""

    def sign(self, sign: str) -> None:
        if not self.has(sign):
            raise self.wrong(repr(sign))

    def next(self, kind: str, what: str) -> Token:
        if self.done or self._tokens[self._at].kind != kind:
            raise self.wrong(what)
        return self.take()

    def braced(self) -> list[Token]:
        """Pass by what is in braces, and return it without them."""
        self.sign("{")
        start, depth = self._at, 1
        while depth:
            text = self.take().text
            depth += (text == "{") - (text == "}")
        return self._tokens[start : self._at - 1]

    def wrong(self, wanted: str) -> Exception:
        token = self._tokens[min(self._at, len(self._tokens) - 1)] if self._tokens else None
        if token is None:
            return ValueError(f"{wanted} is wanted, and there is nothing")  # an empty piece of code
        there = "the code ends" if self.done else f"there is {token.text!r}"
        return token.line.error(f"{wanted} is wanted, and {there}")


def _statement(stream: _Stream, depth: int) -> list[Tree]:
    """Return a statement, or several where one declares several variables."""
    if depth > DEEPEST:
        raise stream.wrong(f"code no deeper than {DEEPEST}")
    if stream.has(";"):
        return []
    if stream.has("{"):
        inner: list[Tree] = []
        while not stream.has("}"):
            inner += _statement(stream, depth + 1)
        return [("block", tuple(inner))]
    if stream.has("if"):
        stream.sign("(")
        test = _expression(stream, depth)
        stream.sign(")")
        yes = ("block", tuple(_statement(stream, depth + 1)))
        no = ("block", tuple(_statement(stream, depth + 1)) if stream.has("else") else ())
        return [("if", test, yes, no)]
    if stream.has("for"):
        stream.sign("(")
        start = ("block", () if stream.sees(";") else (_assignment(stream, depth),))
        stream.sign(";")
        test = _expression(stream, depth)
        stream.sign(";")
        step = ("block", () if stream.sees(")") else (_assignment(stream, depth),))
        stream.sign(")")
        return [("for", start, test, step, ("block", tuple(_statement(stream, depth + 1))))]
    if stream.has("return"):
        value = ("number", 0.0, True) if stream.sees(";") else _expression(stream, depth)
        stream.sign(";")
        return [("return", value)]
    if stream.sees(*_TYPES):
        return _declaration(stream, depth)
    found = _assignment(stream, depth)
    stream.sign(";")
    return [found]


def _declaration(stream: _Stream, depth: int) -> list[Tree]:
    while stream.has(*_TYPES):
        pass
    found: list[Tree] = []
    while True:
        while stream.has("*"):
            pass
        name = stream.next("name", "the name of a variable").text
        while stream.has("["):
            if not stream.sees("]"):
                _expression(stream, depth)
            stream.sign("]")
        found.append(("declare", name, _expression(stream, depth) if stream.has("=") else None))
        if not stream.has(","):
            stream.sign(";")
            return found


def _assignment(stream: _Stream, depth: int) -> Tree:
    """Return an assignment, or an expression by itself."""
    if step := stream.has("++", "--"):
        place = _unary(stream, depth + 1)
        return "set", place, ("binary", step[0], place, ("number", 1.0, True))
    place = _expression(stream, depth)
    if step := stream.has("++", "--"):
        return "set", place, ("binary", step[0], place, ("number", 1.0, True))
    if how := stream.has(*_SETS):
        value = _expression(stream, depth)
        return "set", place, value if how == "=" else ("binary", how[0], place, value)
    return "do", place


def _expression(stream: _Stream, depth: int) -> Tree:
    test = _binary(stream, depth, 0)
    if not stream.has("?"):
        return test
    yes = _expression(stream, depth + 1)
    stream.sign(":")
    return "choice", test, yes, _expression(stream, depth + 1)


def _binary(stream: _Stream, depth: int, level: int) -> Tree:
    if level == len(_BINDS):
        return _unary(stream, depth + 1)
    found = _binary(stream, depth, level + 1)
    while sign := stream.has(*_BINDS[level]):
        found = ("binary", sign, found, _binary(stream, depth, level + 1))
    return found


def _unary(stream: _Stream, depth: int) -> Tree:
    if depth > DEEPEST:
        raise stream.wrong(f"code no deeper than {DEEPEST}")
    if sign := stream.has("-", "+", "!"):
        return "unary", sign, _unary(stream, depth + 1)
    if stream.has("&"):
        return "address", _unary(stream, depth + 1)
    if stream.has("("):
        if stream.sees("double", "int", "float"):  # a cast
            while not stream.has(")"):
                stream.take()
            return _unary(stream, depth + 1)
        found = _expression(stream, depth + 1)
        stream.sign(")")
        return _behind(stream, found, depth)
    token = stream.take()
    if token.kind == "number":
        return "number", float(token.text), token.text.isdigit()
    if token.kind == "text":
        return ("text",)
    if token.kind != "name":
        stream._at -= 1
        raise stream.wrong("a number or a name")
    return _behind(stream, ("name", token.text), depth)


def _behind(stream: _Stream, found: Tree, depth: int) -> Tree:
    """Return something with indices, fields or arguments behind it."""
    while True:
        if stream.has("["):
            found = ("index", found, _expression(stream, depth + 1))
            stream.sign("]")
        elif stream.has(".", "->"):
            found = ("field", found, stream.next("name", "the name of a field").text)
        elif found[0] == "name" and stream.has("("):
            arguments = []
            while not stream.has(")"):
                arguments.append(_expression(stream, depth + 1))
                if not stream.sees(")"):
                    stream.sign(",")
            found = ("call", found[1], tuple(arguments))
        else:
            return found
