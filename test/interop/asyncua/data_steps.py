"""Steps about browsing, attributes, values, methods and data types."""

from asyncua import ua

from report import Cannot, Failed, check
from values import from_json, same_json, status_name, to_json, variant_json

NODES_PER_REQUEST = 100
# What the library gets wrong; client.json says why.
LARGE_NAMESPACE_INDEX = "ns=2;s=Array.ReadOnly.QualifiedName"
WITH_UNIONS = ("Cargo", "CargoNone", "CargoList", "Vessel")


def at_most(items, count):
    """Parts of a list."""
    return [items[i : i + count] for i in range(0, len(items), count)]


async def browse_all(config, client):
    limit = config["browse"]["maxReferencesPerNode"]
    seen = {config["browse"]["startNodeId"]}
    todo = [ua.NodeId.from_string(config["browse"]["startNodeId"])]
    continued = 0
    while todo:
        part, todo = todo[:NODES_PER_REQUEST], todo[NODES_PER_REQUEST:]
        parameters = ua.BrowseParameters()
        parameters.RequestedMaxReferencesPerNode = limit
        parameters.NodesToBrowse = [forward(node_id) for node_id in part]
        results = await client.uaclient.session.browse(parameters)
        while results:
            points = []
            for result in results:
                result.StatusCode.check()
                check(len(result.References) <= limit, f"{len(result.References)} references at once")
                for reference in result.References:
                    target = ua.NodeId(reference.NodeId.Identifier, reference.NodeId.NamespaceIndex, reference.NodeId.NodeIdType)
                    if target.to_string() not in seen:
                        seen.add(target.to_string())
                        todo.append(target)
                if result.ContinuationPoint:
                    points.append(result.ContinuationPoint)
            continued += len(points)
            results = await browse_next(client, points) if points else []
    check(len(seen) == config["browse"]["nodeCount"], f"{len(seen)} nodes instead of {config['browse']['nodeCount']}")
    return f"{len(seen)} nodes, {continued} continuation points"


async def browse_next(client, points):
    parameters = ua.BrowseNextParameters()
    parameters.ReleaseContinuationPoints = False
    parameters.ContinuationPoints = points
    return await client.uaclient.session.browse_next(parameters)


def forward(node_id):
    description = ua.BrowseDescription()
    description.NodeId = node_id
    description.BrowseDirection = ua.BrowseDirection.Forward
    description.ReferenceTypeId = ua.NodeId()
    description.IncludeSubtypes = True
    description.NodeClassMask = 0
    description.ResultMask = ua.BrowseResultMask.All
    return description


async def read_attributes(config, client):
    ids = range(1, 28)
    by_class = {entry["nodeClass"]: (name, entry) for name, entry in config["attributes"].items()}
    wrong = []
    count = 0
    for part in at_most(config["attributeNodes"], 20):
        items = [(node_id, attribute) for node_id in part for attribute in ids]
        results = await read(client, items)
        for i, node_id in enumerate(part):
            values = results[i * len(ids) : (i + 1) * len(ids)]
            name, entry = by_class[values[1].Value.Value]
            for attribute, value in zip(ids, values):
                count += 1
                if not allowed(entry, attribute, status_name(value.StatusCode)):
                    wrong.append(f"{name} {node_id} attribute {attribute}: {status_name(value.StatusCode)}")
    check(not wrong, f"{len(wrong)} wrong, first {wrong[:1]}")
    return f"{count} attributes"


def allowed(entry, attribute, status):
    if attribute == 13 and attribute in entry["mandatory"] + entry["optional"]:
        return attribute in entry["optional"] or status != "BadAttributeIdInvalid"
    if attribute in entry["mandatory"]:
        return status == "Good"
    if attribute in entry["optional"]:
        more = ("BadUserAccessDenied", "BadNotReadable") if attribute in (24, 25) else ()
        return status in ("Good", "BadAttributeIdInvalid", *more)
    return status == "BadAttributeIdInvalid"


async def read(client, items):
    """Reads (NodeId text, attribute id, index range) in one request."""
    parameters = ua.ReadParameters()
    for node_id, attribute, *index_range in items:
        item = ua.ReadValueId()
        item.NodeId = ua.NodeId.from_string(node_id)
        item.AttributeId = ua.AttributeIds(attribute)
        item.IndexRange = index_range[0] if index_range else None
        parameters.NodesToRead.append(item)
    return await client.uaclient.session.read(parameters)


async def read_one(client, node_id, attribute=13, *index_range):
    return (await read(client, [(node_id, attribute, *index_range)]))[0]


async def write(client, node_id, variant, index_range=None):
    """Writes a Value without a status and timestamps; returns the StatusCode's name."""
    item = ua.WriteValue()
    item.NodeId = ua.NodeId.from_string(node_id)
    item.AttributeId = ua.AttributeIds.Value
    item.IndexRange = index_range
    item.Value = ua.DataValue(variant)
    parameters = ua.WriteParameters()
    parameters.NodesToWrite = [item]
    return status_name((await client.uaclient.session.write(parameters))[0])


async def each(entries, act):
    """Does something for each entry; what failed for some is told together."""
    failures = []
    for label, entry in entries:
        try:
            await act(entry)
        except Exception as error:
            failures.append(f"{label}: {error if isinstance(error, Failed) else f'{type(error).__name__} {error}'}"[:160])
    check(not failures, f"{len(failures)} of {len(entries)}: {'; '.join(failures[:6])}")
    return f"{len(entries)} done"


async def read_values(config, client):
    async def one(entry):
        data = await read_one(client, entry["nodeId"])
        check(data.Value.VariantType.name == entry["type"], f"type {data.Value.VariantType.name}")
        found = to_json(data.Value.Value, data.Value.VariantType)
        check(same_json(found, entry["value"]), f"{found} instead of {entry['value']}")

    entries = [(entry["nodeId"], entry) for entry in config["values"] if entry["nodeId"] != LARGE_NAMESPACE_INDEX]
    return f"{await each(entries, one)}; left out: QualifiedNames with a namespace index above 32767"


def write_all(key):
    async def step(config, client):
        async def one(pair):
            before = (await read_one(client, pair["writable"])).Value
            wanted = (await read_one(client, pair["readOnly"])).Value
            for value in (wanted, before):
                status = await write(client, pair["writable"], value)
                check(status == "Good", f"write: {status}")
                found = (await read_one(client, pair["writable"])).Value
                expect_same(found, value)

        return await each(list(config[key].items()), one)

    return step


def expect_same(found, wanted):
    """Raises Failed with the first thing in which two Variants differ."""
    for name, left, right in zip(("type", "is array", "dimensions", "value"), variant_json(found), variant_json(wanted)):
        if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
            for element, other in zip(left, right):
                check(str(element) == str(other), f"{name}: {element} instead of {other}")
        check(str(left) == str(right), f"{name}: {left} instead of {right}")


async def call_methods(config, client):
    async def one(entry):
        request = ua.CallMethodRequest()
        request.ObjectId = ua.NodeId.from_string(entry["objectId"])
        request.MethodId = ua.NodeId.from_string(entry["methodId"])
        request.InputArguments = [await argument(client, given) for given in entry["inputs"]]
        result = (await client.uaclient.session.call([request]))[0]
        status = status_name(result.StatusCode)
        check(status == entry.get("status", "Good"), status)
        if "outputs" not in entry:
            return
        outputs = result.OutputArguments or []
        check(len(outputs) == len(entry["outputs"]), f"{len(outputs)} outputs")
        for found, wanted in zip(outputs, entry["outputs"]):
            same = request.InputArguments[wanted["sameAs"]] if "sameAs" in wanted else from_json(wanted["type"], wanted["value"])
            expect_same(found, same)

    return await each([(entry["name"], entry) for entry in config["methods"]], one)


async def argument(client, given):
    if "read" in given:
        return (await read_one(client, given["read"])).Value
    return from_json(given["type"], given["value"])


async def index_ranges(config, client):
    async def one(entry):
        data = await read_one(client, entry["nodeId"], 13, entry["range"])
        check(status_name(data.StatusCode) == entry.get("status", "Good"), status_name(data.StatusCode))
        if "value" in entry:
            found = to_json(flat(data.Value.Value), data.Value.VariantType)
            check(same_json(found, entry["value"]), f"{found} instead of {entry['value']}")
            check("dimensions" not in entry or data.Value.Dimensions == entry["dimensions"], f"dimensions {data.Value.Dimensions}")

    async def one_write(entry):
        before = (await read_one(client, entry["nodeId"])).Value
        status = await write(client, entry["nodeId"], from_json(entry["type"], entry["write"]), entry["range"])
        check(status == entry.get("status", "Good"), f"write: {status}")
        if "after" in entry:
            found = (await read_one(client, entry["nodeId"])).Value
            check(to_json(found.Value, found.VariantType) == entry["after"], f"then {found.Value}")
            await write(client, entry["nodeId"], before)

    reads = await each([(f"{e['nodeId']}[{e['range']}]", e) for e in config["indexRanges"]], one)
    writes = await each([(f"{e['nodeId']}[{e['range']}]", e) for e in config["indexRangeWrites"]], one_write)
    return f"reads: {reads}, writes: {writes}"


def flat(value):
    if isinstance(value, list) and value and isinstance(value[0], list):
        return [element for row in value for element in flat(row)]
    return value


KINDS = {0: "Structure", 1: "StructureWithOptionalFields", 2: "Union"}


async def data_type_definitions(config, client):
    async def one(entry):
        data = await read_one(client, entry["nodeId"], 23)
        data.StatusCode.check()
        definition = data.Value.Value
        kind = "Enum" if isinstance(definition, ua.EnumDefinition) else KINDS[int(definition.StructureType)]
        names = [field.Name for field in definition.Fields]
        check(kind == entry["kind"], f"{kind} instead of {entry['kind']}")
        check(names == entry["fields"], f"fields {names}")

    return await each([(entry["name"], entry) for entry in config["dataTypes"]], one)


async def structures(config, client):
    await client.load_data_type_definitions()

    async def one(entry):
        data = await read_one(client, entry["nodeId"])
        data.StatusCode.check()
        found = to_json(data.Value.Value)
        check(same_json(found, entry["value"]), f"{found} instead of {entry['value']}")
        status = await write(client, entry["nodeId"], data.Value)
        check(status == "Good", f"write: {status}")
        again = to_json((await read_one(client, entry["nodeId"])).Value.Value)
        check(same_json(again, entry["value"]), f"read back {again}")

    unions = tuple(f"ns=2;s=Structure.{name}" for name in WITH_UNIONS)
    entries = [(entry["nodeId"], entry) for entry in config["structures"] if entry["nodeId"] not in unions]
    return f"{await each(entries, one)}; left out: unions with an array among their fields"


async def events(_config, _client):
    raise Cannot("the server has no events yet")
