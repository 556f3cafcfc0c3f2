/** The beginning of the page: Markdown, whose first block of commands all other blocks need. */
export const API_INTRODUCTION: readonly string[] = [
  'The page of the web interface sends these requests, and a script can send them too. `GET /api/v1/openapi.json` needs no login and returns an OpenAPI 3.1 document with the same requests, fields and texts.',
  [
    '- **Login.** A script sends the password, the value of `GUI_SECRET`, with each request: `Authorization: Bearer <password>`. A browser has a session: its login sets a cookie, and each request but GET also sends the header `X-Csrf-Token`.',
    '- **Editions.** `standalone` edits the files of a machine. `Kubernetes` shows and writes custom resources. A request of the other edition is `NOT_FOUND`.',
    '- **Bodies** are JSON with `Content-Type: application/json`, at most 16 KiB. A saved or checked text of a file may have 20 MiB, a trial call 10 MiB and a manifest 2.5 MiB. All bodies that are read or worked on at a moment have at most 96 MiB together, and 16 KiB more for each connection that logs in; one session, or all scripts together, get half beside their first body. A request beyond is `TOO_MANY`. A body has at most 500,000 values with a text of a file and 1,000 elsewhere, which is `BAD_REQUEST` otherwise. A field that a request does not know is refused. The body of a request that takes none, or has no login, is not read: the connection closes after the answer unless the body came with the request.',
    '- **Answers** are JSON. Two requests answer with server-sent events instead: a line `event:` with the name, a line `data:` with JSON, and an empty line. Lines that begin with `:` are comments. One comes at least every 15 seconds. All answers over 16 KiB that callers have not read yet have 96 MiB together, of which one session, or all scripts together, get half. Another answer waits for room for 10 seconds, then the request is `BUSY`. Meanwhile an answer that has been on its way for more than 30 seconds is cut off.',
    '- **Secrets** are in no answer: `[*****MASKED*****]` is in their place. A text that is sent back with the mask keeps the secret.',
    '- **Tags.** Each change of a file names the `tag` of the text that it was made from. If somebody changed the text meanwhile, the change is refused with `CONFLICT`.',
    '- **Failures** have a status from 400 on, a code and a message: see [Failures](#failures).',
  ].join('\n'),
  'The examples below run as they stand in the folder of the clone while `make run` runs; those of [Resources](#resources) need a cluster. They begin with these lines:',
  `\`\`\`sh
set -a && . .run/env && set +a
API=http://localhost:8080/api/v1
AUTH="Authorization: Bearer $GUI_SECRET"
JSON="Content-Type: application/json"
field() { sed -n "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/p"; }
\`\`\``,
  '`field tag` reads the text of the field `tag` out of an answer; with jq it is `jq -r .tag`. Answers are shown in part, with line breaks.',
]

/** Worked examples by the name of a group of requests: commands, each block with its answer. */
export const API_EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  Login: [
    'A login as a browser makes it. The file `cookies.txt` keeps the cookie of the session:',
    `\`\`\`sh
curl -s -c cookies.txt -H "$JSON" $API/session -d '{"secret": "'$GUI_SECRET'", "name": "Ada"}'
\`\`\``,
    `\`\`\`json example
{
  "edition": "standalone",
  "logged_in": true,
  "name": "Ada",
  "csrf_token": "…",
  "idle_until": "2026-11-23T05:00:00.000Z",
  "ends_at": "2026-11-23T16:00:00.000Z"
}
\`\`\``,
  ],
  State: [
    'What runs, and what is wrong:',
    `\`\`\`sh
curl -s -H "$AUTH" $API/overview
\`\`\``,
    `\`\`\`json example
{
  "edition": "standalone",
  "gateway": { "reachable": true, "digest": "sha256:9c1e…", "reload": { "result": "ok" }, "bus": "connected" },
  "bus": { "connected": true },
  "services": [{ "name": "gl", "kind": "gateway", "state": "healthy", "since": "2026-11-23T04:00:00.000Z", "starts": 1 }],
  "sinks": [{ "name": "nats2file", "mode": "file_writer", "behind_records": 0 }]
}
\`\`\``,
    'The routers, with their states:',
    `\`\`\`sh
curl -s -H "$AUTH" $API/routers
\`\`\``,
    `\`\`\`json example
{
  "tag": "sha256:9c1e…",
  "routers": [{ "index": 0, "path": "/echo/", "url": "https://localhost", "state": "active", "deployed": "live" }],
  "removed": []
}
\`\`\``,
  ],
  Transactions: [
    'A call is sent by [`POST /api/v1/try`](#post-apiv1try), and its transaction is found by the id that the answer names. The record comes a moment later:',
    `\`\`\`sh
CALL=$(curl -sN -H "$AUTH" -H "$JSON" $API/try -d '{"router": "/echo/", "body": "{}"}' | field transaction_id)
curl -s -H "$AUTH" "$API/transactions?session=$CALL"
\`\`\``,
    `\`\`\`json example
{
  "transactions": [
    { "id": "s1", "router": "/echo/", "original_router": null, "method": "POST", "status": 200, "error_type": null }
  ],
  "next": null,
  "source": "stream"
}
\`\`\``,
    'The complete [record](record.md):',
    `\`\`\`sh
ID=$(curl -s -H "$AUTH" "$API/transactions?session=$CALL" | field id)
curl -s -H "$AUTH" $API/transactions/$ID
\`\`\``,
    `\`\`\`json example
{
  "id": "s1",
  "transaction": { "id": "s1", "router": "/echo/" },
  "record": { "request": { "gl_path": "/echo/", "ingress_method": "POST" } },
  "beginning": null
}
\`\`\``,
  ],
  Try: [
    'The built-in router `/echo/` answers with the body of the request:',
    `\`\`\`sh
curl -sN -H "$AUTH" -H "$JSON" $API/try -d '{"router": "/echo/", "body": "{\\"hello\\": 1}"}'
\`\`\``,
    `\`\`\`events example
event: head
data: {"event": "head", "status": 200, "transaction_id": "1763870400…", "at_ms": 3.1}

event: text
data: {"event": "text", "text": "{\\"hello\\": 1}", "at_ms": 3.4}

event: end
data: {"event": "end", "bytes": 12, "cut": false, "at_ms": 3.5}
\`\`\``,
  ],
  Files: [
    'A new router, saved as a draft:',
    `\`\`\`sh
FILE=$API/files/gl_config.json
TAG=$(curl -s -H "$AUTH" $FILE | field tag)
curl -s -X PUT -H "$AUTH" -H "$JSON" $FILE/draft -d '{
  "tag": "'$TAG'",
  "edits": [{
    "op": "insert",
    "path": ["routers", 0],
    "value": {"path": "/docs/", "outbound": {"url": "https://llm.example"}}
  }]
}'
\`\`\``,
    `\`\`\`json example
{
  "name": "gl_config.json",
  "draft": { "digest": "sha256:51ab…", "saved_by": "script", "conflict": false },
  "takes_effect": "at_once",
  "tag": "sha256:51ab…",
  "check": { "digest": "sha256:51ab…", "result": "valid" }
}
\`\`\``,
    'A text is checked without being saved. This one has a router without an address:',
    `\`\`\`sh
curl -s -H "$AUTH" -H "$JSON" $FILE/check -d '{
  "tag": "'$TAG'",
  "text": "{\\"routers\\": [{\\"path\\": \\"/docs/\\"}]}"
}'
\`\`\``,
    `\`\`\`json example
{
  "result": "partly",
  "fields": [
    {
      "path": ["routers", 0, "outbound", "url"],
      "state": "required",
      "reason": "required:",
      "message": "A value is required.",
      "unset": []
    }
  ],
  "unknown_keys": []
}
\`\`\``,
    'A deploy makes the draft live and waits for the gateway’s answer:',
    `\`\`\`sh
TAG=$(curl -s -H "$AUTH" $FILE | field tag)
curl -s -H "$AUTH" -H "$JSON" $FILE/deploy -d '{"tag": "'$TAG'", "note": "a router for the docs"}'
\`\`\``,
    `\`\`\`json example
{
  "file": "gl_config.json",
  "digest": "sha256:51ab…",
  "result": "live",
  "message": "The gateway uses the new file.",
  "rejected_fields": {},
  "took_ms": 120
}
\`\`\``,
    'The versions:',
    `\`\`\`sh
curl -s -H "$AUTH" $FILE/archive
\`\`\``,
    `\`\`\`json example
{
  "entries": [
    { "digest": "sha256:51ab…", "origin": "deployed", "name": "script", "note": "a router for the docs", "live": true },
    { "digest": "sha256:9c1e…", "origin": "found", "name": "", "note": "", "live": false }
  ]
}
\`\`\``,
    'The oldest version becomes the draft again; `field` reads the last digest of the list. A deploy, as above, would make it live:',
    `\`\`\`sh
OLDEST=$(curl -s -H "$AUTH" $FILE/archive | field digest)
TAG=$(curl -s -H "$AUTH" $FILE | field tag)
curl -s -H "$AUTH" -H "$JSON" $FILE/archive/$OLDEST/restore -d '{"tag": "'$TAG'"}'
\`\`\``,
    `\`\`\`json example
{
  "name": "gl_config.json",
  "live": { "digest": "sha256:51ab…" },
  "draft": { "digest": "sha256:9c1e…", "saved_by": "script", "conflict": false },
  "tag": "sha256:9c1e…"
}
\`\`\``,
    'This discards it:',
    `\`\`\`sh
TAG=$(curl -s -H "$AUTH" $FILE | field tag)
curl -s -X DELETE -H "$AUTH" "$FILE/draft?tag=$TAG"
\`\`\``,
    `\`\`\`json example
{ "name": "gl_config.json", "live": { "digest": "sha256:51ab…" }, "draft": null, "base": null }
\`\`\``,
  ],
  Resources: [
    'On Kubernetes a [port-forward](../tasks/web-interface.md#on-kubernetes) leads to the web interface, and the password is in its Secret:',
    `\`\`\`sh
GUI_SECRET=$(kubectl -n llm get secret main-web -o go-template='{{base64decode .data.GUI_SECRET}}')
AUTH="Authorization: Bearer $GUI_SECRET"
curl -s -H "$AUTH" "$API/resources?kind=LLMGateway"
\`\`\``,
    `\`\`\`json example
{
  "resources": [{ "kind": "LLMGateway", "namespace": "llm", "name": "main", "gateway": "main", "generation": 1 }],
  "next": null,
  "total": 1
}
\`\`\``,
    'A Router is checked. The manifest is not sent to the cluster:',
    `\`\`\`sh
SPEC='{gatewayRef: {name: main}, path: /docs/, outbound: {url: https://llm.example/}}'
ROUTER="{apiVersion: llmgateway.io/v1alpha1, kind: Router, metadata: {name: docs, namespace: llm}, spec: $SPEC}"
curl -s -H "$AUTH" -H "$JSON" $API/resources/check -d '{"manifest": "'"$ROUTER"'"}'
\`\`\``,
    `\`\`\`json example
{
  "place": { "kind": "Router", "namespace": "llm", "name": "docs" },
  "result": "valid",
  "stored": null,
  "errors": [],
  "conditions": [{ "type": "Accepted", "status": "True" }],
  "rejected_fields": []
}
\`\`\``,
    'With the mode `Edit`, and where the account of the web interface has the right to write, it is applied:',
    `\`\`\`sh
curl -s -H "$AUTH" -H "$JSON" $API/resources/apply -d '{"manifest": "'"$ROUTER"'"}'
\`\`\``,
    `\`\`\`json example
{
  "result": "created",
  "place": { "kind": "Router", "namespace": "llm", "name": "docs" },
  "resource_version": "1042",
  "generation": 1
}
\`\`\``,
  ],
}
