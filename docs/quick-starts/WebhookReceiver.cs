// Receives webhooks, verifies them, and says when to poll.
// .NET 6 or later, .NET Framework 4.7.2 or Mono, without packages. Run behind HTTPS with CLAIMS_WEBHOOK_SECRET and PORT.
// .NET: dotnet new console, replace Program.cs by this file, dotnet run
// Mono: mcs WebhookReceiver.cs && mono WebhookReceiver.exe

using System;
using System.IO;
using System.Linq;
using System.Net;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading.Tasks;

public static class WebhookReceiver
{
    const int MaxBodyBytes = 65536;
    const int ToleranceSeconds = 300;
    static readonly byte[] Secret = Convert.FromBase64String(
        Regex.Replace(Environment.GetEnvironmentVariable("CLAIMS_WEBHOOK_SECRET"), "^whsec_", ""));

    public static void Main()
    {
        var listener = new HttpListener();
        listener.Prefixes.Add("http://127.0.0.1:" + (Environment.GetEnvironmentVariable("PORT") ?? "8080") + "/");
        listener.Start();
        while (true)
        {
            var context = listener.GetContext();
            Task.Run(() =>
            {
                try { Receive(context); }
                catch (Exception) { context.Response.Abort(); } // the sender has gone
            });
        }
    }

    static void Receive(HttpListenerContext context)
    {
        var body = Read(context.Request.InputStream);
        var verified = body != null && IsVerified(context.Request, body);
        context.Response.StatusCode = verified ? 204 : 401;
        context.Response.Close();
        if (!verified) return;
        // In production, a JSON parser.
        var found = Regex.Match(Encoding.UTF8.GetString(body), "\"type\":\"([^\"]*)\".*\"environment\":\"([^\"]*)\"");
        // For claims.changed: poll now, in the program that polls every few minutes.
        Console.WriteLine(found.Groups[1].Value + " " + found.Groups[2].Value);
    }

    static byte[] Read(Stream stream)
    {
        var body = new MemoryStream();
        var buffer = new byte[8192];
        for (int count; (count = stream.Read(buffer, 0, buffer.Length)) > 0;)
        {
            body.Write(buffer, 0, count);
            if (body.Length > MaxBodyBytes) return null;
        }
        return body.ToArray();
    }

    static bool IsVerified(HttpListenerRequest request, byte[] body)
    {
        var timestamp = request.Headers["webhook-timestamp"] ?? "";
        if (!Regex.IsMatch(timestamp, "^[0-9]{1,12}$")) return false;
        var age = DateTimeOffset.UtcNow.ToUnixTimeSeconds() - long.Parse(timestamp);
        if (Math.Abs(age) > ToleranceSeconds) return false;
        var signed = Encoding.UTF8.GetBytes(request.Headers["webhook-id"] + "." + timestamp + ".").Concat(body).ToArray();
        byte[] expected;
        using (var hmac = new HMACSHA256(Secret)) expected = hmac.ComputeHash(signed);
        var signature = "v1," + Convert.ToBase64String(expected);
        // Two while the secret is rolled.
        return (request.Headers["webhook-signature"] ?? "").Split(' ').Any(sent => AreEqual(sent, signature));
    }

    // In a time that does not depend on where they differ.
    static bool AreEqual(string one, string other)
    {
        var difference = one.Length ^ other.Length;
        for (var at = 0; at < Math.Min(one.Length, other.Length); at++) difference |= one[at] ^ other[at];
        return difference == 0;
    }
}
