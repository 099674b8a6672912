"""Values of the library as the JSON of config.json, and the other way round."""

import dataclasses
import math
import uuid
from datetime import datetime, timezone
from enum import Enum

from asyncua import ua

WIDE = (ua.VariantType.Int64, ua.VariantType.UInt64)
SMALLEST_TIME = "1601-01-01T00:00:00.000Z"
LARGEST_TIME = "9999-12-31T23:59:59.000Z"


def to_json(value, variant_type=None):
    """The value in the form of config.json; custom structures become objects."""
    if isinstance(value, list | tuple):
        return [to_json(element, variant_type) for element in value]
    if isinstance(value, ua.Variant):
        return {"type": value.VariantType.name, "value": to_json(value.Value, value.VariantType)}
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Enum):
        return int(value.value)
    if isinstance(value, float):
        return value if math.isfinite(value) else {"inf": "Infinity", "-inf": "-Infinity"}.get(str(value), "NaN")
    if isinstance(value, int):
        return str(int(value)) if variant_type in WIDE else int(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, datetime):
        return time_to_json(value)
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, ua.NodeId):
        return value.to_string()
    if isinstance(value, ua.StatusCode):
        return int(value.value)
    if isinstance(value, ua.QualifiedName):
        return {"namespaceIndex": value.NamespaceIndex, "name": value.Name}
    if isinstance(value, ua.LocalizedText):
        return {"locale": value.Locale, "text": value.Text}
    return structure_to_json(value)


def time_to_json(value):
    aware = value if value.tzinfo else value.replace(tzinfo=timezone.utc)
    text = f"{aware.strftime('%Y-%m-%dT%H:%M:%S')}.{aware.microsecond // 1000:03d}Z"
    return limit_time(text.rjust(24, "0"))


def limit_time(text):
    """Everything at or beyond a bound is that bound."""
    return SMALLEST_TIME if text <= SMALLEST_TIME else min(text, LARGEST_TIME)


def structure_to_json(value):
    if isinstance(value, ua.UaUnion):
        names = [field.name for field in dataclasses.fields(value) if field.name not in ("Encoding", "Value")]
        return {names[value.Encoding - 1]: to_json(value.Value)} if value.Encoding else {}
    if not dataclasses.is_dataclass(value):
        raise TypeError(f"no JSON for {type(value).__name__}")
    fields = [field for field in dataclasses.fields(value) if field.name != "Encoding"]
    return {field.name: to_json(getattr(value, field.name)) for field in fields}


def from_json(type_name, value):
    """A Variant of a value of config.json."""
    variant_type = ua.VariantType[type_name]
    is_array = isinstance(value, list)
    convert = CONVERTERS.get(type_name, lambda same: same)
    native = [convert(element) for element in value] if is_array else convert(value)
    return ua.Variant(native, variant_type, is_array=is_array)


def parse_float(value):
    return float(value.replace("Infinity", "inf")) if isinstance(value, str) else float(value)


CONVERTERS = {
    "Int64": int,
    "UInt64": int,
    "Float": parse_float,
    "Double": parse_float,
    "ByteString": lambda text: None if text is None else bytes.fromhex(text),
    "LocalizedText": lambda text: ua.LocalizedText(text["text"], text["locale"]),
}


def same_json(left, right):
    """Equal, where a time stands for every form of it, a missing field for null, and an empty array for a null one."""
    if (left is None and right == []) or (left == [] and right is None):
        return True
    if isinstance(left, dict) and isinstance(right, dict):
        return all(same_json(left.get(key), right.get(key)) for key in left.keys() | right.keys())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same_json, left, right))
    if isinstance(left, str) and isinstance(right, str) and left.endswith("Z") and right.endswith("Z"):
        return limit_time(left) == limit_time(right)
    return left == right


def variant_json(variant):
    """A Variant with what is compared when it was written and read back."""
    return [variant.VariantType.name, variant.is_array, variant.Dimensions, to_json(variant.Value, variant.VariantType)]


def status_name(code):
    """The name of a StatusCode, with the flag bits left out."""
    return ua.StatusCode(code & 0xFFFF0000 if isinstance(code, int) else code.value & 0xFFFF0000).name
