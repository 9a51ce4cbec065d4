import { EXAMPLE_LEAD } from './documented-routes.ts'

/**
 * The documentation's examples. Each runs as printed and reads the API key from the environment, so that no example
 * contains a real key (D45).
 */
export function codeExamples(baseUrl: string): Record<'curl' | 'javascript' | 'python', string> {
  const lead = JSON.stringify(EXAMPLE_LEAD, null, 2)
  return {
    curl: `# PORTAL_API_KEY holds your API key.
curl --fail-with-body --silent --show-error ${baseUrl}/partner/leads \\
  --header "Authorization: Bearer $PORTAL_API_KEY" \\
  --header 'Content-Type: application/json' \\
  --header "Idempotency-Key: $(date +%s)-1001" \\
  --data '${lead}'
`,
    javascript: `// Node.js 20 or later. PORTAL_API_KEY holds your API key.
const base = '${baseUrl}'
const headers = {
  Authorization: \`Bearer \${process.env.PORTAL_API_KEY}\`,
  'Content-Type': 'application/json',
}

const lead = ${lead}

// If you send the same request again within 24 hours with the same Idempotency-Key, no second record is submitted.
const response = await fetch(\`\${base}/partner/leads\`, {
  method: 'POST',
  headers: { ...headers, 'Idempotency-Key': crypto.randomUUID() },
  body: JSON.stringify(lead),
})
const answer = await response.json()
if (!response.ok) throw new Error(\`\${answer.code}: \${answer.error}\`)
console.log('Submitted', answer.data.loid)

const status = await fetch(\`\${base}/webhook/status/\${answer.data.loid}\`, { headers })
console.log((await status.json()).data.status)
`,
    python: `# Python 3.8 or later. PORTAL_API_KEY holds your API key.
import json
import os
import urllib.error
import urllib.request
import uuid

BASE = "${baseUrl}"


def call(method, path, body=None):
    request = urllib.request.Request(BASE + path, method=method)
    request.add_header("Authorization", "Bearer " + os.environ["PORTAL_API_KEY"])
    if body is not None:
        request.data = json.dumps(body).encode()
        request.add_header("Content-Type", "application/json")
        # If you send the same request again within 24 hours with the same Idempotency-Key,
        # no second record is submitted.
        request.add_header("Idempotency-Key", str(uuid.uuid4()))
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)["data"]
    except urllib.error.HTTPError as error:
        failure = json.load(error)
        raise SystemExit(f"{failure['code']}: {failure['error']}")


lead = ${lead}

submitted = call("POST", "/partner/leads", lead)
print("Submitted", submitted["loid"])
print(call("GET", "/webhook/status/" + submitted["loid"])["status"])
`,
  }
}

/** Examples that follow changes. Each remembers its cursor in a file, so that it goes on where it stopped. */
export function readExamples(baseUrl: string): Record<'curl' | 'javascript' | 'python', string> {
  return {
    curl: `# PORTAL_API_KEY holds an API key that may read. The file \`cursor\` remembers how far you have come.
curl --fail-with-body --silent --show-error --get ${baseUrl}/partner/events \\
  --header "Authorization: Bearer $PORTAL_API_KEY" \\
  --data-urlencode "since=$(cat cursor 2>/dev/null)" |
  tee answer.json
sed -n 's/.*"cursor":"\\([^"]*\\)".*/\\1/p' answer.json > cursor
`,
    javascript: `// Node.js 20 or later. PORTAL_API_KEY holds an API key that may read.
// The file cursor.txt remembers how far you have come, so you can run this again and again.
import { readFile, writeFile } from 'node:fs/promises'

const base = '${baseUrl}'
const headers = { Authorization: \`Bearer \${process.env.PORTAL_API_KEY}\` }

let cursor = await readFile('cursor.txt', 'utf8').catch(() => '')
let hasMore = true
while (hasMore) {
  const query = new URLSearchParams(cursor && { since: cursor })
  const response = await fetch(\`\${base}/partner/events?\${query}\`, { headers })
  const answer = await response.json()
  if (answer.code === 'START_AGAIN') {
    // The cursor has ended. Everything comes again: forget what does not.
    cursor = ''
    continue
  }
  if (!response.ok) throw new Error(\`\${answer.code}: \${answer.error}\`)
  for (const event of answer.data.events) {
    // Store event.lead or event.deal under event.loid. If both are null, remove what you have.
    console.log(event.type, event.loid)
  }
  cursor = answer.data.cursor
  await writeFile('cursor.txt', cursor)
  hasMore = answer.data.has_more
}
`,
    python: `# Python 3.8 or later. PORTAL_API_KEY holds an API key that may read.
# The file cursor.txt remembers how far you have come, so you can run this again and again.
import json
import os
import pathlib
import urllib.error
import urllib.parse
import urllib.request

BASE = "${baseUrl}"
REMEMBERED = pathlib.Path("cursor.txt")


def read(cursor):
    query = urllib.parse.urlencode({"since": cursor} if cursor else {})
    request = urllib.request.Request(BASE + "/partner/events?" + query)
    request.add_header("Authorization", "Bearer " + os.environ["PORTAL_API_KEY"])
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)["data"]
    except urllib.error.HTTPError as error:
        failure = json.load(error)
        if failure["code"] == "START_AGAIN":
            # The cursor has ended. Everything comes again: forget what does not.
            return read("")
        raise SystemExit(f"{failure['code']}: {failure['error']}")


cursor = REMEMBERED.read_text() if REMEMBERED.exists() else ""
has_more = True
while has_more:
    answer = read(cursor)
    for event in answer["events"]:
        # Store event["lead"] or event["deal"] under event["loid"]. If both are None, remove what you have.
        print(event["type"], event["loid"])
    cursor, has_more = answer["cursor"], answer["has_more"]
    REMEMBERED.write_text(cursor)
`,
  }
}

/**
 * Shows how a receiver checks that a delivery came from the portal (Standard Webhooks). The code uses only the
 * language's standard library.
 */
export const VERIFICATION = {
  javascript: `import { createHmac, timingSafeEqual } from 'node:crypto'

// body: the request's body as text, exactly as it came. headers: names in lower case. secret: whsec_… from the portal.
export function isGenuine(body, headers, secret) {
  const id = headers['webhook-id']
  const timestamp = headers['webhook-timestamp']
  const signatures = headers['webhook-signature'] ?? ''
  // Refuses a delivery that is more than five minutes old, because somebody may have recorded and repeated it.
  if (!id || !(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\${body}\`).digest()
  // For 24 hours after a change of the secret there are two signatures. One that matches is enough.
  return signatures.split(' ').some((signature) => {
    const [version, value = ''] = signature.split(',')
    const given = Buffer.from(value, 'base64')
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
}
`,
  python: `import base64
import hashlib
import hmac
import time


# body: the request's body as bytes, exactly as it came. headers: names in lower case. secret: whsec_… from the portal.
def is_genuine(body, headers, secret):
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    # Refuses a delivery that is more than five minutes old, because somebody may have recorded and repeated it.
    if not message_id or not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret[len("whsec_"):] if secret.startswith("whsec_") else secret)
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    # For 24 hours after a change of the secret there are two signatures. One that matches is enough.
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected.encode(), signature.encode()) for signature in given)
`,
}
