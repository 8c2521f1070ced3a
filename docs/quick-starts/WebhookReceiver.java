// Receives webhooks, verifies them, and says when to poll. Java 11 or later, without dependencies. Run behind HTTPS:
// CLAIMS_WEBHOOK_SECRET=whsec_... PORT=8080 java WebhookReceiver.java

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class WebhookReceiver {
    static final byte[] SECRET =
        Base64.getDecoder().decode(System.getenv("CLAIMS_WEBHOOK_SECRET").replaceFirst("^whsec_", ""));
    static final int MAX_BODY_BYTES = 65536;
    static final int TOLERANCE_SECONDS = 300;
    // In production, a JSON parser.
    static final Pattern EVENT = Pattern.compile("\"type\":\"([^\"]*)\".*\"environment\":\"([^\"]*)\"");

    public static void main(String[] args) throws IOException {
        String port = System.getenv("PORT");
        InetSocketAddress address = new InetSocketAddress("127.0.0.1", port == null ? 8080 : Integer.parseInt(port));
        HttpServer server = HttpServer.create(address, 0);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.createContext("/", WebhookReceiver::receive);
        server.start();
    }

    static void receive(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY_BYTES);
        boolean verified = isVerified(exchange.getRequestHeaders(), body);
        exchange.sendResponseHeaders(verified ? 204 : 401, -1);
        exchange.close();
        Matcher event = EVENT.matcher(new String(body, StandardCharsets.UTF_8));
        // For claims.changed: poll now, in the program that polls every few minutes.
        if (verified && event.find()) System.out.println(event.group(1) + " " + event.group(2));
    }

    static boolean isVerified(Headers headers, byte[] body) {
        String id = header(headers, "webhook-id");
        String timestamp = header(headers, "webhook-timestamp");
        if (!timestamp.matches("\\d{1,12}")) return false;
        if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(timestamp)) > TOLERANCE_SECONDS) return false;
        byte[] expected = ("v1," + Base64.getEncoder().encodeToString(hmac(id + "." + timestamp + ".", body)))
            .getBytes(StandardCharsets.UTF_8);
        // Two while the secret is rolled.
        for (String signature : header(headers, "webhook-signature").split(" "))
            if (MessageDigest.isEqual(expected, signature.getBytes(StandardCharsets.UTF_8))) return true;
        return false;
    }

    static String header(Headers headers, String name) {
        String value = headers.getFirst(name);
        return value == null ? "" : value;
    }

    static byte[] hmac(String prefix, byte[] body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(SECRET, "HmacSHA256"));
            mac.update(prefix.getBytes(StandardCharsets.UTF_8));
            return mac.doFinal(body);
        } catch (java.security.GeneralSecurityException error) {
            throw new IllegalStateException(error);
        }
    }
}
