import { rules } from "@secretlint/secretlint-rule-preset-recommend";

/** A part of a text; `end` is exclusive. */
export interface SecretRange {
  readonly start: number;
  readonly end: number;
  /** The name of the rule, shown in place of the secret. */
  readonly rule: string;
}

interface SecretRule {
  readonly rule: string;
  /**
   * Every repetition has an upper bound, so that the time is linear in the text. The group `secret` is hidden; without
   * it, the whole match.
   */
  readonly pattern: RegExp;
}

/** A dash on its own is the mark of a removed line in a diff. */
const NOT_BEFORE = "(?<![A-Za-z0-9_]|[A-Za-z0-9_-]-)";

/** Secrets with a fixed prefix, which are found in running text. */
const PREFIXES: Readonly<Record<string, RegExp>> = {
  "aws-key-id": /(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{16}(?![A-Za-z0-9])/,
  github: /(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})/,
  gitlab: /gl(?:pat|dt|rt|ptt|cbt|soat|agent)-[A-Za-z0-9_.-]{16,300}/,
  slack: /(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,250}/,
  npm: /npm_[A-Za-z0-9]{30,100}/,
  pypi: /pypi-[A-Za-z0-9_-]{40,300}/,
  google: /AIza[A-Za-z0-9_-]{30,60}/,
  "google-oauth": /(?:GOCSPX-[A-Za-z0-9_-]{20,60}|ya29\.[A-Za-z0-9_.-]{20,1000})/,
  "model-provider": /sk-[A-Za-z0-9_-]{16,300}/,
  stripe: /(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,250}/,
  "webhook-secret": /whsec_[A-Za-z0-9+/=_-]{16,200}/,
  sendgrid: /SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,100}/,
  "json-web-token":
    /eyJ[A-Za-z0-9_-]{8,8000}\.[A-Za-z0-9_-]{8,8000}(?:\.[A-Za-z0-9_-]{0,2000}){0,3}/,
  belay: /belay_[0-9a-f]{32}_[A-Za-z0-9_-]{20,64}/,
  "hugging-face": /(?:hf|api_org)_[A-Za-z0-9]{30,60}/,
  docker: /dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,64}/,
  digitalocean: /do[opr]_v1_[a-f0-9]{40,80}/,
  linear: /lin_(?:api|oauth)_[A-Za-z0-9]{20,80}/,
  shopify: /shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{20,64}/,
  vault: /hv[sbr]\.[A-Za-z0-9_-]{20,300}/,
  age: /AGE-SECRET-KEY-1[A-Z0-9]{40,80}/,
  databricks: /dapi[a-f0-9]{32}(?:-\d{1,3})?/,
  notion: /(?:ntn_|secret_)[A-Za-z0-9]{30,60}/,
  "model-host": /(?:gsk_|r8_|xai-|pplx-|nvapi-|fw_)[A-Za-z0-9_-]{20,200}/,
  supabase: /sbp_[a-f0-9]{40}/,
  telegram: /\d{8,10}:AA[A-Za-z0-9_-]{32,36}/,
  twilio: /(?:SK|AC)[0-9a-f]{32}(?![0-9a-f])/,
};

const BLANK = String.raw`[ \t\u00a0]{0,8}`;
/** Between a name and its value: a colon or an equals sign, also where Markdown makes the name bold or code. */
const ASSIGNED = `["'\`*_]{0,3}${BLANK}(?:=>|:=|[:=])[*_]{0,3}${BLANK}`;
/** The value after a name: anything in quotes, otherwise up to the next space or separator. */
const VALUE = String.raw`(?:"(?<double>(?:\\"|[^"\r\n]){1,1000})"|'(?<single>[^'\r\n]{1,1000})'|\x60(?<code>[^\x60\r\n]{1,1000})\x60|(?<secret>[^\s"'&;,<>()[\]{}]{4,1000}))`;
const PASSWORD = `(?:pass(?:word|wd|phrase|code)|pwd|PGPASS)`;
const KEY = `(?:secret|token|credentials?|(?:api|access|account|auth|client|encryption|master|private|secret|service|shared|signing|storage)[_.-]?(?:key|secret|token))`;

/** A word of a text, or a name in a program: each capital is followed by small letters, unlike in base64. */
const WORD = "[A-Za-z][a-z]{0,20}(?:[A-Z][a-z]{2,20}){0,8}";
const END = "[.:]?(?![A-Za-z0-9+/=_.~:-])";

const RULES: readonly SecretRule[] = [
  ...Object.entries(PREFIXES).map(([rule, shape]) => ({
    rule,
    pattern: new RegExp(NOT_BEFORE + shape.source, "g"),
  })),
  {
    rule: "cut-off",
    // Titles and summaries are shortened, so the start of a token at their end is hidden too.
    pattern: new RegExp(
      `${NOT_BEFORE}(?:gh[pousr]_|github_pat_|glpat-|xox[a-z]-|npm_|AIza|AKIA|ASIA|sk-|[sr]k_(?:live|test)_|whsec_|SG\\.|eyJ|belay_|hf_|hvs\\.|ya29\\.)[A-Za-z0-9_.-]{4,300}(?=…?$)`,
      "g",
    ),
  },
  {
    rule: "private-key",
    // A key that was cut off has no end line. Each line may start with the marks of a diff, a quote or a listing.
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:(?:[^-]|-(?!----)|-(?=-----END )){0,20000}-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?:[^A-Za-z]{1,40}(?:Proc-Type|DEK-Info|Version|Comment): [^\r\n]{0,200}){0,5}(?:[A-Za-z0-9+/=\s:,]|[^A-Za-z]{1,40}(?=[A-Za-z0-9+/=]{16,200}(?:["',\\\s]|$))){0,20000})/g,
  },
  {
    rule: "authorization",
    // Not "basic functionality", "token src/auth/token.ts" and "bearer authentication".
    pattern: new RegExp(
      `(?<![A-Za-z0-9])(?:(?:[Bb]earer|BEARER|[Aa]pi[Kk]ey|APIKEY)[ \\t]{1,4}(?!${WORD}${END})|(?:[Bb]asic|BASIC|[Dd]igest|DIGEST|[Nn]egotiate|NEGOTIATE|[Tt]oken|TOKEN)[ \\t]{1,4}(?!${WORD}(?:[_/.:-]${WORD}){0,10}${END}))(?<secret>[A-Za-z0-9+/=_.~:-]{8,4000})`,
      "g",
    ),
  },
  {
    rule: "authorization",
    pattern:
      /\bAuthorization["']?[ \t]{0,4}(?:=>|[:=](?![=>]))[ \t]{0,4}["']?(?<secret>[^\s"'][^\r\n"']{0,4000})/gi,
  },
  {
    rule: "cookie",
    pattern:
      /\b(?:set-)?cookie["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?<secret>[^\s"';=]{1,100}=[^\r\n"']{1,4000})/gi,
  },
  {
    rule: "url-password",
    // Up to the last @, because passwords that contain one are often not encoded. An address in a path has only one slash.
    pattern: /\b[a-z][a-z0-9+.-]{1,30}:\/{1,2}[^\s:/@"'<>]{0,200}:(?<secret>[^\s/"'<>]{1,500})@/gi,
  },
  {
    rule: "url-signature",
    pattern:
      /[?&](?:sig|signature|x-amz-signature|x-goog-signature|access_token|auth|key|code)=(?<secret>[A-Za-z0-9%+/=_.~-]{8,2000})/gi,
  },
  {
    rule: "belay-link",
    pattern: /\/(?:link|login)#(?<secret>[A-Za-z0-9_-]{20,100})/g,
  },
  {
    rule: "docker-login",
    // The words of a setting called auth have no capitals and no digits.
    pattern:
      /"auth"[ \t]{0,4}:[ \t]{0,4}"(?=[^"]{0,200}[A-Z])(?=[^"]{0,200}[0-9=])(?<secret>[A-Za-z0-9+/=]{12,1000})"/g,
  },
  {
    rule: "slack-webhook",
    pattern:
      /\bhooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/(?<secret>[A-Za-z0-9/_-]{8,300})/gi,
  },
  {
    rule: "discord-webhook",
    pattern: /\bdiscord(?:app)?\.com\/api\/webhooks\/(?<secret>\d{5,30}\/[A-Za-z0-9_-]{20,200})/gi,
  },
  {
    rule: "password",
    pattern: new RegExp(`${PASSWORD}${ASSIGNED}${VALUE}`, "gi"),
  },
  {
    rule: "password",
    pattern: new RegExp(`<(?:[\\w.-]{0,40}?)${PASSWORD}>(?<secret>[^<\\s]{1,500})</`, "gi"),
  },
  {
    rule: "password",
    pattern:
      /\b(?:password|passphrase|passcode) (?:is|was|to):? ["'`]?(?=[^\s"'`]{0,100}\d)(?<secret>[^\s"'`]{4,200})/gi,
  },
  {
    rule: "password",
    pattern:
      /(?<![\w-])--?(?:password|passwd|pass|pw|token|secret|api-?key)[ =]["']?(?<secret>[^\s"']{3,500})/gi,
  },
  {
    rule: "password",
    pattern:
      /\bcurl\b[^\r\n]{0,300}? (?:-u|--user)[ =]?["']?[^\s:"']{1,100}:(?<secret>[^\s"']{1,300})/gi,
  },
  {
    rule: "password",
    // In SQL it is in quotes, or looks like no word: "with password reset", "identified by name".
    pattern:
      /\b(?:(?:identified by|(?:encrypted |with )password)[ \t]{1,8}(?:["']|(?=[^\s"';]{0,100}\d))|login[ \t]{1,8}\S{1,100}[ \t]{1,8}password[ \t]{1,8}["']?)(?<secret>[^\s"';]{3,300})/gi,
  },
  {
    rule: "password",
    pattern:
      /\b(?:sshpass -p ?|mysql(?:dump|admin)?\b[^\r\n]{0,200}? -p|docker login\b[^\r\n]{0,200}? -p )["']?(?<secret>[^\s"']{3,300})/g,
  },
  {
    rule: "secret",
    pattern:
      /\b[A-Z][A-Z0-9_]{1,40}_(?:KEY|PASS|PASSWORD|PASSPHRASE|SECRET|TOKEN|PW|PAT|CREDS|AUTH)=["']?(?<secret>[^\s"']{8,2000})/g,
  },
  {
    rule: "secret",
    pattern: new RegExp(`${KEY}${ASSIGNED}${VALUE}`, "gi"),
  },
];

/**
 * A name whose value is a secret whatever it looks like. It ends with the word, so "input_tokens" and "token_id" do not
 * match.
 */
const SECRET_NAME = new RegExp(
  `(?:${PASSWORD}|${KEY}|authorization|cookie|x-api-key|connection[_-]?string)$`,
  "i",
);

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** A reference to a secret, a type, an empty value, or a redaction mark. */
const PLACEHOLDER =
  /^(?:\$\{?\w{1,100}\}?|\$\(.{0,100}\)|process\.env\b.{0,100}|os\.environ\b.{0,100}|string|str|number|boolean|null|none|nil|undefined|true|false|required|optional|redacted|hidden|\*{3,}|x{3,}|\.{3}|<[^>]{0,100}>|\[(?:redacted|hidden)[^\]]{0,40}\])[;,.)\]}]{0,3}$/i;

export function isPlaceholder(value: string): boolean {
  return value.length <= 220 && PLACEHOLDER.test(value.trim());
}

/** The shortest value after a word like "token" that counts as a secret; "token: none" is not one. */
const SHORTEST_SECRET = 8;

/** All matches of the rules in this text, unsorted. They may overlap. */
export function applyRules(text: string): SecretRange[] {
  return [...applyOwnRules(text), ...applyMaintainedRules(text)];
}

const ASSIGNMENT = /["'`]?[ \t]{0,8}[:=]/y;

function* applyOwnRules(text: string): Generator<SecretRange> {
  const findEnd = createRunFinder(text);
  for (const { rule, pattern } of RULES) {
    pattern.lastIndex = 0;
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const { secret: bare, double, single, code } = match.groups ?? {};
      const secret = bare ?? double ?? single ?? code ?? match[0];
      const isBare = secret === match[0];
      const start = match.index + match[0].lastIndexOf(secret);
      // A value may itself be the name of another secret, as in "token: password = x".
      ASSIGNMENT.lastIndex = pattern.lastIndex;
      if (start > match.index && ASSIGNMENT.test(text)) pattern.lastIndex = start;
      if (!isBare && isPlaceholder(secret)) continue;
      if (rule === "secret" && secret.length < SHORTEST_SECRET) continue;
      const end = start + secret.length;
      // A secret that is longer than its rule expects is hidden to its end.
      yield { start, end: isBare || secret.length > 200 ? findEnd(end) : end, rule };
    }
  }
}

/**
 * Returns a function that finds the end of the run of letters at an offset. It remembers the last run, because each of many
 * secrets in one run would look through the rest of it.
 */
function createRunFinder(text: string): (from: number) => number {
  let [start, end] = [0, -1];
  return (from) => {
    if (from < start || from > end) {
      REST.lastIndex = from;
      [start, end] = [from, from + (REST.exec(text)?.[0].length ?? 0)];
    }
    return end;
  };
}

const REST = /[A-Za-z0-9_+/=-]*/y;

/**
 * The rules of secretlint, run without its engine, which obeys comments such as "secretlint-disable" in the text and
 * takes quadratic time for many secrets.
 */
function applyMaintainedRules(text: string): SecretRange[] {
  const found: SecretRange[] = [];
  for (const { create, meta } of MAINTAINED) {
    const rule = meta.id.replace(/^.*secretlint-rule-/, "");
    const handler = create(
      {
        sharedOptions: {},
        createTranslator: () => (messageId) => ({
          message: "",
          messageId: String(messageId),
          data: undefined,
        }),
        report: ({ range: [start, end] }) => found.push({ start, end, rule }),
        ignore: () => {},
      },
      {},
    );
    handler.file?.(sourceOf(text));
  }
  return found;
}

const MAINTAINED = rules.filter(({ meta }) => !meta.id.endsWith("-filter-comments"));

/** The input of a rule; the file name makes the rule for .npmrc match too. */
function sourceOf(content: string) {
  const start = { line: 1, column: 0 };
  const range: readonly [number, number] = [0, 0];
  return {
    hasBOM: false,
    content,
    filePath: ".npmrc",
    physicalFilePath: undefined,
    contentType: "text",
    ext: ".txt",
    getFilePath: () => ".npmrc",
    getPhysicalFilePath: () => undefined,
    locationToRange: () => range,
    rangeToLocation: () => ({ start, end: start }),
    positionToIndex: () => 0,
    indexToPosition: () => start,
  } as const;
}
