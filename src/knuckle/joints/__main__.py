"""`python -m knuckle.joints` prints the tables of joints."""

from knuckle.joints import general, registry

if __name__ == "__main__":
    print(registry.table())
    print()
    print(registry.table(general.TABLE))
