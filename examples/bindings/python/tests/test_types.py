"""Types that are read at run time, as libraries for validation do."""

from __future__ import annotations

import dataclasses
import inspect
import subprocess
import sys
import typing
import unittest

import canvas_engine as canvas
from canvas_engine import types


class Types(unittest.TestCase):
    def test_each_public_dataclass_has_its_types(self) -> None:
        count = 0
        for name in canvas.__all__:
            found = getattr(canvas, name)
            if dataclasses.is_dataclass(found) and isinstance(found, type):
                hints = typing.get_type_hints(found)
                for field in dataclasses.fields(found):
                    self.assertNotIsInstance(hints[field.name], str, f"{name}.{field.name}")
                count += 1
        self.assertGreater(count, 30)

    def test_each_shape_has_its_types(self) -> None:
        count = 0
        for module in (canvas, types):
            for name, found in vars(module).items():
                if inspect.isclass(found) and hasattr(found, "__required_keys__"):
                    self.assertIsNotNone(typing.get_type_hints(found), name)
                    count += 1
        self.assertGreater(count, 400)

    def test_each_method_has_its_types(self) -> None:
        for kind in (canvas.Engine, canvas.Board, canvas.Surfaces, canvas.Recipe, canvas.Watch):
            for name, method in inspect.getmembers(kind, inspect.isfunction):
                if not name.startswith("_") and name != "watch":
                    hints = typing.get_type_hints(method, vars(sys.modules[method.__module__]), vars(canvas))
                    self.assertIn("return", hints, f"{kind.__name__}.{name}")

    def test_the_package_is_imported_without_them(self) -> None:
        modules = ("canvas_engine.types", "asyncio", "trio", "anyio", "sniffio")
        code = f"import sys, canvas_engine; print([name for name in {modules} if name in sys.modules])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.strip(), "[]")


if __name__ == "__main__":
    unittest.main()
