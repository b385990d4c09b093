"""Which files are found: the same as by Ruff, and as by git where ignore files decide."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

from idemlint.config.discovery import Overrides, Resolver
from idemlint.config.errors import ConfigError
from idemlint.config.layer import Layer
from idemlint.config.patterns import Pattern
from idemlint.source.files import FoundFiles, find_files, is_excluded

RUFF = Path(sysconfig.get_path("scripts"), "ruff")


class Tree:
    """A scratch directory that idemlint and Ruff search."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, *names: str, **texts: str) -> None:
        for name, text in {**dict.fromkeys(names, ""), **texts}.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def configure(self, text: str, folder: str = ".") -> None:
        for name in ("ruff.toml", "idemlint.toml"):
            (self.root / folder).mkdir(parents=True, exist_ok=True)
            (self.root / folder / name).write_text(text, encoding="utf-8")

    def git(self, *args: str, folder: str = ".") -> str:
        return subprocess.run(
            ["git", *args], cwd=self.root / folder, capture_output=True, text=True, check=False
        ).stdout

    def found(self, *paths: str, flags: Layer | None = None, folder: str = ".") -> FoundFiles:
        overrides = Overrides(flags=flags or Layer())
        resolver = Resolver(Path(os.path.normpath(self.root / folder)), overrides)
        return find_files([Path(path) for path in paths or (".",)], resolver)

    def ours(self, *paths: str, **more: object) -> list[str]:
        found = self.found(*paths, **more)
        return [self.short(file.path) for file in found.files]

    def theirs(self, *args: str, folder: str = ".") -> list[str]:
        shown = subprocess.run(
            [RUFF, "check", "--no-cache", "--show-files", *(args or (".",))],
            cwd=self.root / folder,
            capture_output=True,
            text=True,
            check=True,
        )
        others = (".toml", ".md")
        return [self.short(path) for path in shown.stdout.splitlines() if not path.endswith(others)]

    def short(self, path: str) -> str:
        return os.path.relpath(path, self.root).replace(os.sep, "/")


@pytest.fixture
def tree(tmp_path, monkeypatch):
    root = tmp_path / "tree"
    root.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home" / ".config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return Tree(root)


MANY = (
    "a.py",
    "b.pyi",
    "c.ipynb",
    "d.txt",
    "e.pyw",
    ".hidden/a.py",
    ".hidden.py",
    "a/b.py",
    "a-x.py",
    "a-x/c.py",
    "B.py",
    "é.py",
    "node_modules/a.py",
    "build/a.py",
    "dist/a.py",
    "venv/a.py",
    "pkg/venv/a.py",
    "pkg/venv.py",
    "dir.py/x.py",
    "with space/a b.py",
)


def test_a_directory_is_searched_in_ruffs_order(tree):
    tree.write(*MANY)

    assert tree.ours() == tree.theirs()
    assert tree.ours()[:3] == [".hidden/a.py", ".hidden.py", "B.py"]


@pytest.mark.parametrize(
    "paths",
    [
        ["a"],
        ["a", "a/b.py", "./a", "a/../a"],
        ["a.py", "./a.py", "a/../a.py"],
        ["d.txt"],
        ["e.pyw", "a"],
        ["node_modules"],
        ["node_modules/a.py"],
        ["venv", "pkg"],
        ["dir.py"],
        ["missing.py", "a.py"],
        ["with space"],
    ],
    ids=" ".join,
)
def test_named_paths_are_taken_as_by_ruff(tree, paths):
    tree.write(*MANY)

    assert tree.ours(*paths) == tree.theirs(*paths)


@pytest.mark.parametrize("paths", [[], [".."], ["../a", "."]], ids=" ".join)
def test_paths_count_from_the_working_directory(tree, paths):
    tree.write(*MANY)

    assert tree.ours(*paths, folder="a-x") == tree.theirs(*paths, folder="a-x")


CONFIGURATIONS = [
    {".": 'exclude = ["a"]\n'},
    {".": 'extend-exclude = ["a"]\n'},
    {".": 'extend-exclude = ["a/*.py", "*x*"]\n'},
    {".": 'include = ["a/*"]\n'},
    {".": 'include = ["*.txt", "a.py"]\n'},
    {".": 'extend-include = ["*.pyw"]\n'},
    {".": 'extend-exclude = ["a.py"]\n', "pkg": 'exclude = ["nothing"]\n'},
    {"a": 'exclude = ["b.py"]\n'},
    {"a": "", ".": 'extend-exclude = ["b.py"]\n'},
    {".": 'extend-exclude = ["a"]\n', "a": ""},
    {"pkg": 'include = ["*.txt"]\n'},
    {"pkg": 'extend-exclude = ["../a"]\n'},
    {".": 'lint.exclude = ["a.py"]\n'},
]


@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=str)
def test_each_directory_follows_its_nearest_configuration(tree, configuration):
    tree.write(*MANY)
    for folder, text in configuration.items():
        tree.configure(text, folder)

    assert tree.ours() == tree.theirs()


@pytest.mark.parametrize(
    "paths",
    [["a/b.py"], ["a"], ["a.py", "a-x.py"], ["pkg/venv/a.py"], ["a/missing.py"], ["node_modules"]],
    ids=" ".join,
)
@pytest.mark.parametrize("is_forced", [True, False])
def test_excludes_hold_for_named_paths_only_by_force(tree, paths, is_forced):
    tree.write(*MANY)
    tree.configure(f'extend-exclude = ["a", "a-*.py"]\nforce-exclude = {str(is_forced).lower()}\n')

    assert tree.ours(*paths) == tree.theirs(*paths)


def test_force_of_the_root_settings_holds_for_files_of_other_projects(tree):
    tree.write(*MANY)
    tree.configure("force-exclude = true\n")
    tree.configure('exclude = ["b.py"]\n', "a")

    assert tree.ours("a/b.py") == tree.theirs("a/b.py") == []


def test_a_file_that_is_excluded_by_force_need_not_exist(tree):
    tree.configure('exclude = ["a.py"]\nforce-exclude = true\n')

    assert tree.found("a.py") == FoundFiles((), ())


def test_the_flags_patterns_count_from_the_working_directory(tree):
    tree.write(*MANY)
    exclude = (Pattern("b.py", str(tree.root / "a")), Pattern("./x.py", str(tree.root / "a")))

    assert "a/b.py" not in tree.ours("..", flags=Layer(exclude=exclude), folder="a")
    assert tree.theirs("--exclude", "b.py,./x.py", "..", folder="a") == tree.ours(
        "..", flags=Layer(exclude=exclude), folder="a"
    )


@pytest.mark.parametrize(
    ("patterns", "name", "is_linted"),
    [
        (["a.py"], "a.py", False),
        (["a.py"], "sub/a.py", False),
        (["sub"], "sub/a.py", True),
        (["sub/*"], "sub/a.py", False),
        (["sub/"], "sub/a.py", True),
    ],
)
def test_what_lint_exclude_matches_is_found_but_not_linted(tree, patterns, name, is_linted):
    tree.write(name)
    tree.configure(f"[lint]\nexclude = {patterns}\n")

    (file,) = tree.found().files

    assert (tree.short(file.path), file.is_linted) == (name, is_linted)


@pytest.mark.parametrize("is_forced", [True, False])
def test_lint_exclude_holds_for_a_named_file_only_by_force(tree, is_forced):
    tree.write("a.py")
    tree.configure(f'force-exclude = {str(is_forced).lower()}\n[lint]\nexclude = ["a.py"]\n')

    (file,) = tree.found("a.py").files

    assert file.is_linted is not is_forced


def test_a_file_that_is_named_and_met_counts_as_named(tree):
    tree.write("a.py", "b.py")

    for paths in (["a.py", "."], [".", "a.py"]):
        assert [file.is_named for file in tree.found(*paths).files] == [True, False]


def test_what_is_not_there_is_an_error_in_the_words_of_the_system(tree):
    tree.write("a.py")
    found = tree.found("missing.py", "a.py", "a.py/b.py", "missing.py")

    assert [tree.short(file.path) for file in found.files] == ["a.py"]
    assert [(tree.short(error.path), error.message) for error in found.errors] == [
        ("missing.py", "No such file or directory (os error 2)"),
        ("a.py/b.py", "Not a directory (os error 20)"),
    ]


def test_a_broken_configuration_on_the_way_is_an_error(tree):
    tree.write("a.py", "sub/b.py")
    tree.configure("broken", "sub")

    with pytest.raises(ConfigError) as caught:
        tree.found()
    assert caught.value.causes[0] == (
        f"Failed to load configuration `{tree.root}/sub/idemlint.toml`"
    )
    assert [tree.short(file.path) for file in tree.found("a.py").files] == ["a.py"]


def test_a_broken_configuration_in_an_excluded_directory_is_not_read(tree):
    tree.write("a.py", "sub/b.py")
    tree.configure("broken", "sub")
    tree.configure('extend-exclude = ["sub"]\n')

    assert tree.ours() == tree.theirs() == ["a.py"]


class TestLinks:
    """Linked files are followed inside the tree, linked directories never."""

    @pytest.fixture(autouse=True)
    def _links(self, tree, tmp_path):
        tree.write("real/a.py", "src/b.py")
        (tree.root / "src" / "link.py").symlink_to("../real/a.py")
        (tree.root / "src" / "linked").symlink_to("../real")
        (tree.root / "src" / "folder.py").symlink_to("../real")
        (tree.root / "src" / "dangling.py").symlink_to("nothing.py")
        (tree.root / "src" / "loop.py").symlink_to("loop.py")
        (tmp_path / "outside.py").touch()

    def test_as_by_ruff(self, tree):
        # Ruff takes a linked directory with the name of a file for a file, and fails to read it.
        assert tree.ours() == [name for name in tree.theirs() if name != "src/folder.py"]
        assert "src/link.py" in tree.ours()

    def test_a_linked_directory_is_searched_if_it_is_named(self, tree):
        assert tree.ours("src/linked") == tree.theirs("src/linked") == ["src/linked/a.py"]

    def test_a_link_out_of_the_tree_is_not_followed(self, tree, tmp_path):
        (tree.root / "src" / "out.py").symlink_to(tmp_path / "outside.py")

        assert "src/out.py" not in tree.ours()

    def test_a_link_out_of_the_tree_is_followed_if_it_is_named(self, tree, tmp_path):
        (tree.root / "src" / "out.py").symlink_to(tmp_path / "outside.py")

        assert tree.ours("src/out.py") == ["src/out.py"]

    def test_a_link_out_of_the_searched_directory_may_stay_in_the_project(self, tree):
        tree.configure("")

        assert "src/link.py" in tree.ours("src")

    def test_without_a_project_a_link_stays_in_the_searched_directory(self, tree):
        assert "src/link.py" not in tree.ours(".", folder="src")

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
    def test_a_pipe_is_left_alone(self, tree):
        os.mkfifo(tree.root / "src" / "pipe.py")
        (tree.root / "src" / "to_pipe.py").symlink_to("pipe.py")

        assert [name for name in tree.ours() if "pipe" in name] == []


IGNORED = (
    "a.py",
    "b.py",
    "ab.py",
    "B.py",
    "#x.py",
    "!y.py",
    "a b.py",
    "a/a.py",
    "a/b/c.py",
    "x/y/z/q.py",
    "x/k.py",
    "build/lib/a.py",
    "ü.py",
    "é/a.py",
)
LINES = [
    "",
    "n.py",
    "a.py",
    "/a.py",
    "a.py ",
    "a.py\\ ",
    "a\\ b.py",
    "x/\n!x/k.py",
    "x/*\n!x/k.py",
    "a/**",
    "**/c.py",
    "a/*/c.py",
    "a/*.py",
    "# a.py\n\\#x.py\n[ab].py",
    "\\!y.py",
    "a?.py",
    "*\n!*.py",
    "*\n!*/\n!a.py",
    "[\nb.py",
    "\ufeffb.py",
    "b.py\r\na.py\r",
    "x/y",
    "y",
    "y/",
    "y/z",
    "**/y",
    "x/**/q.py",
    "/**/q.py",
    "x**q.py",
    "*/",
    "!\n/\n//",
    "a/b/../b/c.py",
    "./a.py",
    "[!a]*.py",
    "[^a]*.py",
    "[a-b].py",
    "*.py\n!a.py\nb.py\n!b.py",
    "build/\n!build/lib/",
    "**",
    "a/**/c.py",
    "x/**/z/",
    "?.py",
    "??.py",
    "[ü].py",
    "[!a].py",
    "é/",
    "??",
    "ü*",
]


class TestIgnoreFiles:
    """`.gitignore` and its relatives."""

    @pytest.fixture(autouse=True)
    def _repository(self, tree):
        tree.write(*IGNORED)
        tree.git("init", "-q")

    @pytest.mark.parametrize("text", LINES)
    def test_a_gitignore_leaves_out_the_same_files_as_ruff(self, tree, text):
        tree.write(**{".gitignore": text})

        assert tree.ours() == tree.theirs()

    @pytest.mark.parametrize("text", [text for text in LINES if "\ufeff" not in text])
    def test_a_gitignore_leaves_out_the_same_files_as_git(self, tree, text):
        tree.write(**{".gitignore": text})
        tree.git("config", "core.ignorecase", "false")
        listed = tree.git("ls-files", "--others", "--exclude-standard", "-z", "*.py")

        # A carriage return at the end of a line is part of git's pattern.
        if "\r" not in text:
            assert sorted(tree.ours()) == sorted(listed.split("\0")[:-1])

    def test_braces_are_words_to_choose_from_as_for_ruff(self, tree):
        tree.write(**{".gitignore": "{a,b}.py"})

        assert tree.ours() == tree.theirs()
        assert "a.py" not in tree.ours()

    def test_a_nested_file_wins_over_those_above(self, tree):
        tree.write(**{".gitignore": "*.py\n", "a/.gitignore": "!a.py\n", "a/b/.gitignore": "!c.py"})

        assert tree.ours() == tree.theirs() == ["a/a.py", "a/b/c.py"]

    def test_files_above_the_searched_directory_count(self, tree):
        tree.write(**{".gitignore": "c.py\n/a/a.py\n"})

        assert tree.ours(".", folder="a") == tree.theirs(".", folder="a") == []
        assert tree.ours("a") == tree.theirs("a") == []

    def test_named_paths_escape_even_by_force(self, tree):
        tree.write(**{".gitignore": "a.py\na/\n"})
        tree.configure("force-exclude = true\n")

        assert tree.ours("a.py", "a") == tree.theirs("a.py", "a")
        assert "a.py" in tree.ours("a.py", "a")

    def test_they_can_be_turned_off(self, tree):
        tree.write(**{".gitignore": "*\n", ".ignore": "*\n"})
        tree.configure("respect-gitignore = false\n")

        assert tree.ours() == tree.theirs()
        assert "a.py" in tree.ours()

    def test_another_repository_inside_has_its_own(self, tree):
        tree.write("nest/a.py", "nest/z.py", **{".gitignore": "a.py\n", "nest/.gitignore": "z.py"})
        tree.git("init", "-q", folder="nest")

        assert tree.ours() == tree.theirs()
        assert "nest/a.py" in tree.ours()

    @pytest.mark.parametrize(
        "files",
        [
            {".git/info/exclude": "a.py\n"},
            {".git/info/exclude": "a.py\n", ".gitignore": "!a.py\n"},
            {".gitignore": "a.py\n", ".ignore": "!a.py\n"},
            {".gitignore": "!a.py\n", ".ignore": "a.py\n"},
            {"a/.gitignore": "a.py\n", ".ignore": "!a.py\n"},
            {".ignore": "a/\n"},
        ],
        ids=str,
    )
    def test_of_several_lists_the_same_one_wins_as_with_ruff(self, tree, files):
        tree.write(**files)

        assert tree.ours() == tree.theirs()

    @pytest.mark.parametrize("name", [".config/git/ignore", "my-ignores"])
    def test_the_users_list_counts_last(self, tree, tmp_path, name):
        list_file = tmp_path / "home" / name
        list_file.parent.mkdir(parents=True)
        list_file.write_text("a.py\nb.py\n")
        (tmp_path / "home" / ".gitconfig").write_text("[core]\n\texcludesFile = ~/my-ignores\n")
        if name != "my-ignores":
            (tmp_path / "home" / ".gitconfig").unlink()
        tree.write(**{".gitignore": "!b.py\n"})

        assert tree.ours() == tree.theirs()
        assert {"a.py", "b.py"} & set(tree.ours()) == {"b.py"}

    def test_a_linked_work_tree_has_the_list_of_its_repository(self, tree):
        tree.git("-c", "user.name=x", "-c", "user.email=x", "commit", "--allow-empty", "-qm", "x")
        tree.git("worktree", "add", "-q", "linked")
        tree.write("linked/a.py", "linked/b.py", **{".git/info/exclude": "a.py\n"})

        assert tree.ours("linked") == tree.theirs("linked") == ["linked/b.py"]

    def test_a_list_that_is_not_utf8_is_read_nevertheless(self, tree):
        (tree.root / ".gitignore").write_bytes(b"\xff.py\na.py\n")

        assert "a.py" not in tree.ours()


def test_a_gitignore_counts_only_in_a_repository(tree):
    tree.write("a.py", "d/a.py", **{".gitignore": "a.py\n", "d/.ignore": "a.py\n"})

    assert tree.ours() == tree.theirs() == ["a.py"]


def test_only_the_parts_of_a_path_up_to_the_project_are_matched(tree):
    tree.write("a.py")
    tree.configure(f'exclude = ["{tree.root.parent.name}"]\n')
    settings = Resolver(tree.root).root

    assert not is_excluded(tree.root / "a.py", settings)


def test_no_library_for_patterns_is_imported():
    code = (
        "import sys, pathlib; from idemlint.config.discovery import Resolver;"
        "from idemlint.source.files import find_files;"
        "find_files([pathlib.Path('.')], Resolver(pathlib.Path.cwd()));"
        "print({'pathspec', 'glob', 'fnmatch', 'libcst'} & set(sys.modules))"
    )
    folder = Path(__file__).parent
    shown = subprocess.run(
        [os.sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )

    assert "pathspec" not in shown.stdout
    assert "libcst" not in shown.stdout
