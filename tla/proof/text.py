"""The pages of the specification that the proof reads: its code, spec/code.md, and how it is made to run on symbols.

Nothing of the rules is written a second time here. Python runs the page's own blocks; what is changed before that are five
notations whose meaning Python does not let a value decide: `is`, `in`, displays of sets and maps, and comprehensions."""
import ast
import pathlib
import re

SPEC = pathlib.Path(__file__).resolve().parents[2] / "spec"
RULES, CODE = SPEC / "README.md", SPEC / "code.md"


class Edit:
    """One edit of the page's code, for a rule that is to be broken: old becomes new, and old must be there once."""

    def __init__(self, old, new):
        self.old, self.new = old, new

    def apply(self, code):
        if code.count(self.old) != 1:
            raise ValueError(f"{CODE}: {self.old!r} is there {code.count(self.old)} times, and a mutant needs it once")
        return code.replace(self.old, self.new)


def code(edit=None):
    """The one Python block of the page."""
    blocks = re.findall(r"^```python\n(.*?)^```", CODE.read_text(encoding="utf-8"), re.S | re.M)
    if len(blocks) != 1:
        raise ValueError(f"{CODE}: {len(blocks)} blocks of code where one is expected")
    return edit.apply(blocks[0]) if edit else blocks[0]


class Notation(ast.NodeTransformer):
    """`x is None` becomes x == None; `x in s` becomes contains(x, s); displays and comprehensions become calls too."""

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) != 1:
            raise SyntaxError("a chain of comparisons")
        op, left, right = node.ops[0], node.left, node.comparators[0]
        if isinstance(op, (ast.In, ast.NotIn)):
            return call("contains" if isinstance(op, ast.In) else "lacks", left, right)
        if isinstance(op, (ast.Is, ast.IsNot)):
            node.ops = [ast.Eq() if isinstance(op, ast.Is) else ast.NotEq()]
        return node

    def visit_Set(self, node):
        self.generic_visit(node)
        return call("set_of", *node.elts)

    def visit_Dict(self, node):
        self.generic_visit(node)
        pairs = [ast.Tuple([k if k is not None else ast.Constant(None), v], ast.Load()) for k, v in zip(node.keys, node.values)]
        return call("map_of", *pairs)

    def comprehension(self, node, kind, element):
        self.generic_visit(node)
        if len(node.generators) != 1 or len(node.generators[0].ifs) > 1:
            raise SyntaxError("a comprehension of more than one part")
        loop = node.generators[0]
        condition = loop.ifs[0] if loop.ifs else ast.Constant(True)
        return call("comprehend", ast.Constant(kind), loop.iter, function(loop.target, element(node)), function(loop.target, condition))

    def visit_ListComp(self, node):
        return self.comprehension(node, "list", lambda n: n.elt)

    def visit_SetComp(self, node):
        return self.comprehension(node, "set", lambda n: n.elt)

    def visit_DictComp(self, node):
        return self.comprehension(node, "map", lambda n: ast.Tuple([n.key, n.value], ast.Load()))


def call(name, *arguments):
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def function(target, body):
    """lambda TARGET: BODY"""
    names = [target.id] if isinstance(target, ast.Name) else [name.id for name in target.elts]
    return ast.Lambda(ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, []), body)


def load(words, edit=None):
    """Runs the page's definitions with the meaning that words gives to the words the page uses, and returns them all."""
    tree = ast.fix_missing_locations(Notation().visit(ast.parse(code(edit), str(CODE))))
    names = dict(words)
    exec(compile(tree, str(CODE), "exec"), names)
    return names
