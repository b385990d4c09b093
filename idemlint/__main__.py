"""`python -m idemlint` does what `idemlint` does."""

from idemlint.hosts.cli import main

if __name__ == "__main__":
    main()
