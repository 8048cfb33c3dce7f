"""python -m knuckle.cli"""

from knuckle.cli import main

raise SystemExit(main())
