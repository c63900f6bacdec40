import type { FastifyInstance } from 'fastify';

const PAGE_PATH = '/graphql/try';
const SCRIPT_PATH = '/graphql/try.js';

/** Allows the page's own script and the queries that it sends; nothing else can run or be reached. */
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Try GraphQL · Bindery</title>
<script type="module" src="${SCRIPT_PATH}"></script>
<main>
<h1>Try GraphQL</h1>
<form>
<p><label>Token (kept on this page only)<br><input type="password" name="token" size="60" autocomplete="off"></label>
<p><label>Query<br><textarea name="query" rows="12" cols="80" spellcheck="false">{ me { userName } }</textarea></label>
<p><label>Variables (JSON)<br><textarea name="variables" rows="4" cols="80" spellcheck="false">{}</textarea></label>
<p><button>Send</button>
</form>
<h2>Answer</h2>
<pre role="status"></pre>
</main>
</html>
`;

const SCRIPT = `const form = document.querySelector('form');
const answer = document.querySelector('pre');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { token, query, variables } = Object.fromEntries(new FormData(form));
  try {
    const response = await fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token ? { authorization: 'Bearer ' + token } : {}) },
      body: JSON.stringify({ query, variables: JSON.parse(variables || '{}') }),
    });
    answer.textContent = JSON.stringify(await response.json(), null, 2);
  } catch (error) {
    answer.textContent = String(error);
  }
});
`;

/** A page for trying queries, for developers of clients. Served in development only. */
export function tryViews(app: FastifyInstance): void {
  app.get(PAGE_PATH, async (_request, reply) =>
    reply.header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(PAGE),
  );
  app.get(SCRIPT_PATH, async (_request, reply) => reply.type('text/javascript; charset=utf-8').send(SCRIPT));
}
