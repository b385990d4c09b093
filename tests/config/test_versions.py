"""Version specifiers, beside the reference implementation."""

from __future__ import annotations

import pytest
from packaging.specifiers import SpecifierSet

from idemlint.config.versions import VersionError, check_specifier, is_allowed, oldest_python

SPECIFIERS = [
    "==0.1.0",
    "==0.1",
    "==0.1.*",
    "!=0.1.0",
    "!=0.1.*",
    ">=0.1",
    ">=0.1.1",
    ">0.1",
    ">0.1.0",
    "<=0.1",
    "<0.2",
    "<0.1.0",
    "~=0.1.0",
    "~=0.1",
    "~=0.2",
    ">=0.1,<0.2",
    ">=0.1, !=0.1.0",
    "  >= 0.1  ",
    "===0.1.0",
    ">=v0.1",
]


@pytest.mark.parametrize("specifier", SPECIFIERS)
@pytest.mark.parametrize("version", ["0.1.0", "0.1.1", "0.2.0", "1.0"])
def test_releases_are_allowed_as_by_packaging(specifier, version):
    assert is_allowed(version, specifier) is SpecifierSet(specifier).contains(version)


@pytest.mark.parametrize(
    ("version", "specifier", "is_so"),
    [
        ("0.1.0", "0.1.0", True),
        ("0.1.1", "0.1.0", False),
        ("0.2.0rc1", ">=0.1", True),
        ("0.2.0rc1", ">=0.2.0", False),
        ("0.2.0", ">=0.2.0rc1", True),
        ("0.2.0rc1", "==0.2.0", False),
        ("0.1.0", "", True),
    ],
)
def test_bare_versions_and_early_releases(version, specifier, is_so):
    assert is_allowed(version, specifier) is is_so


@pytest.mark.parametrize(
    "text", ["abc", "^3.9", "~=3", ">=3.9.*", "3.9 or 3.10", "=>3", ">=", "> 3 4"]
)
def test_other_texts_are_no_specifiers(text):
    with pytest.raises(VersionError):
        check_specifier(text)


@pytest.mark.parametrize(
    ("specifier", "version"),
    [
        (">=3.9,<4", (3, 9)),
        (">=3.8,>=3.9", (3, 8)),
        ("==3.11.*", (3, 11)),
        ("<3", None),
        ("", None),
    ],
)
def test_the_oldest_python_is_the_lowest_lower_bound(specifier, version):
    assert oldest_python(specifier) == version
