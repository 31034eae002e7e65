/**
 * Secrets of every hidden shape, none of them real. They are assembled here so that no scanner reports this file as a
 * leak.
 */

const letters = (count: number): string =>
  Array.from({ length: count }, (_, n) => "aZ3kQ9mB7xW2rT5v"[(n * 7 + count) % 16]).join("");
const hex = (count: number): string =>
  Array.from({ length: count }, (_, n) => "3f9a1c7e5b2d8064"[(n * 5 + count) % 16]).join("");
const upper = (count: number): string => letters(count).toUpperCase();
const glue = (...parts: string[]): string => parts.join("");

interface SecretShape {
  /** As it would occur in a text. */
  readonly text: string;
  /** The part that must not be left. */
  readonly secret: string;
}

const alone = (...parts: string[]): SecretShape => ({
  text: glue(...parts),
  secret: glue(...parts),
});
const inside = (before: string, secret: string, after = ""): SecretShape => ({
  text: before + secret + after,
  secret,
});
const pem = (kind: string): SecretShape => {
  const lines = Array.from({ length: 20 }, (_, n) => letters(50 + n)).join("\n");
  const text = glue(
    "-----BEGIN ",
    kind,
    "PRIVATE KEY-----\n",
    lines,
    "\n-----END ",
    kind,
    "PRIVATE KEY-----",
  );
  return { text, secret: lines };
};

export const SECRET_SHAPES: Readonly<Record<string, SecretShape>> = {
  "aws key id": alone("AK", "IA", upper(16)),
  "aws secret": inside("aws_secret_access_key = ", letters(40)),
  "github classic": alone("gh", "p_", letters(36)),
  "github fine-grained": alone("github", "_pat_", letters(82)),
  gitlab: alone("gl", "pat-", letters(20)),
  "slack bot": alone("xox", "b-123456789012-123456789012-", letters(24)),
  "slack webhook": inside(
    "https://hooks.slack.com/services/",
    `T00000000/B00000000/${letters(24)}`,
  ),
  npm: alone("np", "m_", letters(36)),
  "npmrc line": inside("//registry.example.org/:_authToken=", letters(36)),
  google: alone("AI", "za", letters(35)),
  openai: alone("sk-", "proj-", letters(60)),
  anthropic: alone("sk-", "ant-api03-", letters(93), "AA"),
  stripe: alone("sk_", "live_", letters(24)),
  sendgrid: alone("SG", ".", letters(22), ".", letters(43)),
  "json web token": alone("ey", `J${letters(30)}.eyJ${letters(60)}.${letters(43)}`),
  "bearer header": inside("Authorization: Bearer ", letters(32)),
  "basic header": inside("authorization: Basic ", `${letters(24)}==`),
  "cookie header": inside("Cookie: session=", letters(30)),
  "url password": inside("postgres://admin:", letters(14), "@db.example.org:5432/app"),
  "url password with an @": inside("mongodb+srv://app:", "p@ss-aZ3kQ9", "@db.example.org/app"),
  "sql password": inside("CREATE USER app IDENTIFIED BY '", "hunter2-dW", "'"),
  "netrc line": inside("machine example.org login ann password ", "hunter2-eV"),
  "mysql option": inside("mysqldump -u root -p", "hunter2-fU", " app"),
  "environment line": inside("export OPENWEATHER_KEY=", letters(28)),
  "azure account key": inside("DefaultEndpointsProtocol=https;AccountKey=", `${letters(86)}==`),
  "shared access signature": inside("https://x.example.org/b?sv=2024&sig=", letters(44)),
  "rsa private key": pem("RSA "),
  "openssh private key": pem("OPENSSH "),
  "password assignment": inside("password=", "hunter2-aZ"),
  "quoted password": inside('DB_PASSWORD: "', "correct horse battery", '"'),
  "password option": inside("mysql -u root --password ", "hunter2-bY"),
  "curl user": inside("curl -u admin:", "hunter2-cX", " https://example.org"),
  "api key": inside('"api_key": "', letters(24), '"'),
  "belay token": alone("belay_", hex(32), "_", letters(43)),
  "belay link": inside("http://127.0.0.1:4747/link#", `${hex(32)}_${letters(22)}`),
  "belay login link": inside("http://127.0.0.1:4747/login#", letters(43)),
  "docker login": inside('{"auths":{"x.example.org":{"auth":"', `${letters(27)}=`, '"}}}'),
  "xml password": inside("<server><password>", "hunter2-gT", "</password></server>"),
  supabase: alone("sb", "p_", hex(40)),
  "webhook secret": alone("whsec", "_", letters(32)),
  "hugging face": alone("h", "f_", letters(34)),
  docker: alone("dckr", "_pat_", letters(27)),
  digitalocean: alone("dop", "_v1_", hex(64)),
  vault: alone("hv", "s.", letters(90)),
  age: alone("AGE-SECRET", "-KEY-1", upper(58)),
  telegram: alone("123456789", ":AA", letters(33)),
};
