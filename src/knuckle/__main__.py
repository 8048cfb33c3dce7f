"""python -m knuckle"""

from knuckle.cli import main

raise SystemExit(main())
