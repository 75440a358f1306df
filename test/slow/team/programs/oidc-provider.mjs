// An OpenID provider that accepts every typed name. The email of `unverified` is not verified.
import { createServer } from "node:http";
import { Provider } from "oidc-provider";

const [client, secret, redirect] = process.argv.slice(2);
const http = createServer();
http.listen(0, "127.0.0.1", () => {
  const issuer = `http://localhost:${http.address().port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: client, client_secret: secret, redirect_uris: [redirect] }],
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    pkce: { required: () => true },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: `subject-of-${id}`, email: `${id}@example.org`, email_verified: id !== "unverified" }),
    }),
  });
  http.on("request", provider.callback());
  console.log(issuer);
});
