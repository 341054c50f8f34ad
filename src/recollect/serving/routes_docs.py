"""The API as a page for people, made from its own description; nothing is fetched from elsewhere."""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

__all__ = ["description_page", "router"]

router = APIRouter(include_in_schema=False)

Described = Mapping[str, Any]


@router.get("/docs")
async def docs(request: Request) -> HTMLResponse:
    """Return the description as a page."""
    return HTMLResponse(description_page(request.app.openapi()))


def description_page(description: Described) -> str:
    """Return an OpenAPI description as HTML."""
    about = description["info"]
    by_tag: dict[str, list[str]] = {}
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            tag = operation.get("tags", ["other"])[0]
            by_tag.setdefault(tag, []).append("".join(_operation(path, method, operation, description)))
    parts = [f"<h2>{escape(tag)}</h2>\n{''.join(operations)}" for tag, operations in by_tag.items()]
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{escape(about['title'])}: API</title>\n"
        '<link rel="stylesheet" href="/static/style.css">\n<main>\n'
        f"<h1>{escape(about['title'])}: API</h1>\n<p>{escape(about.get('description', ''))}</p>\n"
        '<p>The same for programs: <a href="/openapi.json">openapi.json</a>.</p>\n'
        f"{''.join(parts)}</main>\n</html>\n"
    )


def _operation(path: str, method: str, operation: Described, description: Described) -> Iterator[str]:
    yield f"<article>\n<h3><code>{method.upper()} {escape(path)}</code></h3>\n"
    for paragraph in operation.get("description", operation.get("summary", "")).split("\n\n"):
        yield f"<p>{escape(paragraph)}</p>\n"
    rows = [
        _row(each["name"], each["schema"], each.get("required", False), description, each["in"])
        for each in operation.get("parameters", [])
    ]
    bodies = operation.get("requestBody", {}).get("content", {})
    for body in list(bodies.values())[:1]:
        schema = _resolved(body["schema"], description)
        needed = schema.get("required", [])
        rows += [
            _row(name, field, name in needed, description, "body")
            for name, field in schema.get("properties", {}).items()
        ]
    if rows:
        yield "<table>\n<tr><th>name<th>in<th>what<th>meaning\n" + "".join(rows) + "</table>\n"
    if bodies:
        yield f"<p>Sent as {escape(' or '.join(bodies))}.</p>\n"
    yield "<dl>\n"
    for status, answer in operation["responses"].items():
        yield f"<dt>{escape(status)}<dd>{escape(answer.get('description', ''))}\n"
    yield "</dl>\n</article>\n"


def _row(name: str, schema: Described, needed: bool, description: Described, place: str) -> str:
    what = _kind(schema, description) + ("" if needed else ", optional")
    cells = (f"<code>{escape(name)}</code>", place, escape(what), escape(schema.get("description", "")))
    return "".join(f"<td>{cell}" for cell in cells).join(("<tr>", "\n"))


def _kind(schema: Described, description: Described) -> str:
    """Return what a field holds, in a few words."""
    schema = _resolved(schema, description)
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(each, description) for each in schema["anyOf"]))
    if "enum" in schema:
        return " or ".join(map(str, schema["enum"]))
    if "const" in schema:
        return str(schema["const"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}), description)}"
    if "properties" in schema:
        return f"{{{', '.join(schema['properties'])}}}"
    return str(schema.get("format") or schema.get("type", "anything"))


def _resolved(schema: Described, description: Described) -> Described:
    if "$ref" not in schema:
        return schema
    found: Described = description["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return found
