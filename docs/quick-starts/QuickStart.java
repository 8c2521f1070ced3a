// Sends a claim, polls for the adjuster's response, and offers the claim to another adjuster after a rejection.
// Java 11 or later, without dependencies. Run with a test key: CLAIMS_URL=... CLAIMS_API_KEY=... java QuickStart.java

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public class QuickStart {
    static final String URL = System.getenv("CLAIMS_URL").replaceAll("/+$", "");
    static final String KEY = System.getenv("CLAIMS_API_KEY");
    static final int POLL_SECONDS = 2; // for a test; 60 or more in production
    static final Path POSITION_FILE = Path.of("position.txt");
    static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();

    public static void main(String[] args) throws Exception {
        Map<String, String> accounts = testAccounts();
        Map<String, Object> sent = sendClaim("QS-JAVA-" + System.currentTimeMillis(), accounts.get("rejects"));
        System.out.println("sent " + sent.get("external_id"));
        // The first start is before the first change.
        Instant latest = Instant.parse(
            Files.exists(POSITION_FILE) ? Files.readString(POSITION_FILE) : (String) sent.get("created_at"));
        Map<Object, Object> seen = new HashMap<>();
        while (true) {
            String since = latest.minusSeconds(60).toString();
            Object cursor = null;
            do {
                String query = "?limit=200&updated_since=" + encode(since);
                if (cursor != null) query += "&cursor=" + encode((String) cursor);
                Map<String, Object> page = call("GET", "/v1/claims" + query, null, null);
                for (Map<String, Object> claim : list(page.get("data"))) {
                    String updatedAt = (String) claim.get("updated_at");
                    if (updatedAt.equals(seen.get(claim.get("id")))) continue;
                    if (process(claim, accounts, sent.get("id"))) return;
                    seen.put(claim.get("id"), updatedAt);
                    if (Instant.parse(updatedAt).isAfter(latest)) latest = Instant.parse(updatedAt);
                }
                // After each page, so that a restarted program misses nothing; replaced at once, so that a program
                // that is killed leaves no half of a position.
                Path draft = Files.writeString(Path.of(POSITION_FILE + ".new"), latest.toString());
                Files.move(draft, POSITION_FILE, StandardCopyOption.ATOMIC_MOVE);
                cursor = page.get("next_cursor");
            } while (cursor != null);
            Thread.sleep(POLL_SECONDS * 1000L);
        }
    }

    /** Handles one change; returns whether the claim of this run is accepted. */
    static boolean process(Map<String, Object> claim, Map<String, String> accounts, Object sentId) throws Exception {
        Map<String, Object> assignment = object(claim.get("assignment"));
        String status = (String) assignment.get("status");
        Object reason = assignment.get("rejection_reason");
        System.out.println(status + " " + claim.get("external_id") + (reason == null ? "" : " " + reason));
        if (status.equals("rejected")) {
            // One offer for each rejection.
            String key = "offer-" + claim.get("id") + "-" + claim.get("updated_at");
            String body = "{\"adjuster_svc_id\": " + Json.quote(accounts.get("accepts")) + "}";
            try {
                call("POST", "/v1/claims/" + claim.get("id") + "/assignment", body, key);
            } catch (IllegalStateException wrong) { // one claim must not stop the others: tell a person, and go on
                System.err.println("not offered again: " + claim.get("external_id") + " " + wrong.getMessage());
            }
        }
        return status.equals("accepted") && claim.get("id").equals(sentId);
    }

    /** The SVCIDs of the firm's test accounts by their behavior, such as accepts. */
    static Map<String, String> testAccounts() throws Exception {
        Map<String, String> accounts = new HashMap<>();
        for (Map<String, Object> adjuster : list(call("GET", "/v1/adjusters?limit=200", null, null).get("data"))) {
            String svcId = (String) adjuster.get("svc_id");
            if (adjuster.get("test").equals(true)) accounts.put(svcId.substring(svcId.lastIndexOf('_') + 1), svcId);
        }
        return accounts;
    }

    static Map<String, Object> sendClaim(String externalId, String adjuster) throws Exception {
        String claim = "{"
            + "\"external_id\": " + Json.quote(externalId) + ","
            + "\"claim_number\": " + Json.quote("FL-" + externalId) + ","
            + "\"adjuster_svc_id\": " + Json.quote(adjuster) + ","
            + "\"loss\": {\"date\": \"2026-08-27\"},"
            + "\"policy\": {\"number\": \"87-4410029317-2025\"},"
            + "\"carrier\": {\"name\": \"Palmetto Mutual Insurance\"},"
            + "\"loss_location\": {\"street\": \"88 Mangrove Court\", \"city\": \"Sanibel\", \"state\": \"FL\", \"zip\": \"33957\"},"
            + "\"policyholder\": {\"company_name\": \"Gulf Shore Rentals LLC\", \"phone\": \"239-555-0163\"}}";
        // Derived from your own id, so that a restarted program repeats the same request.
        return call("POST", "/v1/claims", claim, "send-" + externalId);
    }

    /** Sends a request and retries it with the same Idempotency-Key, so that nothing is done twice. */
    static Map<String, Object> call(String method, String path, String body, String idempotencyKey) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(URL + path))
            .timeout(Duration.ofSeconds(30))
            .header("Authorization", "Bearer " + KEY)
            .header("Accept", "application/json")
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (body != null) request.header("Content-Type", "application/json");
        if (idempotencyKey != null) request.header("Idempotency-Key", idempotencyKey);
        for (int attempt = 0; ; attempt++) {
            double waitSeconds = 0;
            String problem;
            try {
                HttpResponse<String> response = HTTP.send(request.build(), BodyHandlers.ofString());
                int status = response.statusCode();
                if (status / 100 == 2) return object(Json.parse(response.body()));
                problem = method + " " + path + ": " + status + " " + response.body();
                if (status < 500 && !List.of(408, 425, 429).contains(status)) throw new IllegalStateException(problem);
                waitSeconds = requestedWait(status, response.headers().firstValue("Retry-After").orElse(""));
            } catch (IOException lostConnection) { // timeouts too
                problem = method + " " + path + ": " + lostConnection;
            }
            if (attempt == 7) throw new IOException(problem);
            waitSeconds += Math.random() * Math.min(30, 0.5 * Math.pow(2, attempt));
            Thread.sleep((long) (waitSeconds * 1000));
        }
    }

    /** Seconds to wait. Retry-After is a number; from a gateway also a date, or sent twice ("5, 5"). */
    static double requestedWait(int status, String retryAfter) {
        if (retryAfter.matches("\\d.*")) return Double.parseDouble(retryAfter.replaceFirst("\\D.*", ""));
        try {
            Instant at = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(retryAfter));
            return Math.max(0, Duration.between(Instant.now(), at).toMillis() / 1000.0);
        } catch (DateTimeParseException none) {
            // A 429 without Retry-After comes from a proxy in front of the API and lasts a minute.
            return status == 429 ? 60 : 0;
        }
    }

    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    @SuppressWarnings("unchecked")
    static List<Map<String, Object>> list(Object value) {
        return (List<Map<String, Object>>) value;
    }

    /** A small JSON parser, since the JDK has none. Use Jackson or Gson if your project has it. */
    static final class Json {
        private final String text;
        private int at = 0;

        private Json(String text) {
            this.text = text;
        }

        static Object parse(String text) {
            return new Json(text).value();
        }

        static String quote(String text) {
            return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
        }

        private Object value() {
            switch (next()) {
                case '{': {
                    Map<String, Object> members = new LinkedHashMap<>();
                    for (at++; next() != '}'; skipComma()) {
                        String name = string();
                        next(); // the colon
                        at++;
                        members.put(name, value());
                    }
                    at++;
                    return members;
                }
                case '[': {
                    List<Object> items = new ArrayList<>();
                    for (at++; next() != ']'; skipComma()) items.add(value());
                    at++;
                    return items;
                }
                case '"':
                    return string();
                default: {
                    int start = at;
                    while (at < text.length() && ",]} \n\r\t".indexOf(text.charAt(at)) < 0) at++;
                    String word = text.substring(start, at);
                    if (word.equals("null")) return null;
                    if (word.equals("true") || word.equals("false")) return word.equals("true");
                    return Double.valueOf(word);
                }
            }
        }

        private char next() {
            while (Character.isWhitespace(text.charAt(at))) at++;
            return text.charAt(at);
        }

        private void skipComma() {
            if (next() == ',') at++;
        }

        private String string() {
            StringBuilder result = new StringBuilder();
            for (at++; text.charAt(at) != '"'; at++) {
                if (text.charAt(at) != '\\') {
                    result.append(text.charAt(at));
                } else if (text.charAt(++at) == 'u') {
                    result.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
                    at += 4;
                } else {
                    int escape = "bfnrt".indexOf(text.charAt(at));
                    result.append(escape < 0 ? text.charAt(at) : "\b\f\n\r\t".charAt(escape));
                }
            }
            at++;
            return result.toString();
        }
    }
}
