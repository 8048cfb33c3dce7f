"""`python -m knuckle.joints` prints the table of joints."""

from knuckle.joints.registry import table

if __name__ == "__main__":
    print(table())
