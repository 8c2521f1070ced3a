// Sends a claim, polls for the adjuster's response, and offers the claim to another adjuster after a rejection.
// .NET 6 or later, .NET Framework 4.7.2 or Mono, without packages. Run with CLAIMS_URL and a test key in CLAIMS_API_KEY.
// .NET: dotnet new console, replace Program.cs by this file, dotnet run
// Mono: mcs -r:System.Net.Http -r:System.Runtime.Serialization QuickStart.cs && mono QuickStart.exe

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Runtime.Serialization;
using System.Runtime.Serialization.Json;
using System.Text;
using System.Threading.Tasks;

// Only the fields that this program uses; the serializer ignores all others.
[DataContract]
public class Claim
{
    [DataMember(Name = "id")] public string Id { get; set; }
    [DataMember(Name = "external_id")] public string ExternalId { get; set; }
    [DataMember(Name = "created_at")] public string CreatedAt { get; set; }
    [DataMember(Name = "updated_at")] public string UpdatedAt { get; set; }
    [DataMember(Name = "assignment")] public Assignment Assignment { get; set; }
}

[DataContract]
public class Assignment
{
    [DataMember(Name = "status")] public string Status { get; set; }
    [DataMember(Name = "rejection_reason")] public string RejectionReason { get; set; }
}

[DataContract]
public class Adjuster
{
    [DataMember(Name = "svc_id")] public string SvcId { get; set; }
    [DataMember(Name = "test")] public bool Test { get; set; }
}

[DataContract]
public class Page<T>
{
    [DataMember(Name = "data")] public List<T> Data { get; set; }
    [DataMember(Name = "next_cursor")] public string NextCursor { get; set; }
}

public static class QuickStart
{
    static readonly string Url = Environment.GetEnvironmentVariable("CLAIMS_URL").TrimEnd('/');
    static readonly string Key = Environment.GetEnvironmentVariable("CLAIMS_API_KEY");
    static readonly TimeSpan PollInterval = TimeSpan.FromSeconds(2); // for a test; a minute or more in production
    const string PositionFile = "position.txt";

    static readonly HttpClient Http = new HttpClient { Timeout = TimeSpan.FromSeconds(30) };
    static readonly Random Jitter = new Random();

    public static void Main()
    {
        Run().GetAwaiter().GetResult();
    }

    static async Task Run()
    {
        var accounts = await TestAccounts();
        var sent = await SendClaim("QS-CS-" + DateTime.UtcNow.Ticks, accounts["rejects"]);
        Console.WriteLine("sent " + sent.ExternalId);
        // The first start is before the first change.
        var latest = Time(File.Exists(PositionFile) ? File.ReadAllText(PositionFile) : sent.CreatedAt);
        var seen = new Dictionary<string, string>();
        while (true)
        {
            var filter = "/v1/claims?limit=200&updated_since=" + Uri.EscapeDataString(Text(latest.AddMinutes(-1)));
            string cursor = null;
            do
            {
                var path = cursor == null ? filter : filter + "&cursor=" + Uri.EscapeDataString(cursor);
                var page = await Call<Page<Claim>>(HttpMethod.Get, path);
                foreach (var claim in page.Data)
                {
                    string before;
                    if (seen.TryGetValue(claim.Id, out before) && before == claim.UpdatedAt) continue;
                    await Process(claim, accounts["accepts"]);
                    if (claim.Id == sent.Id && claim.Assignment.Status == "accepted") return;
                    seen[claim.Id] = claim.UpdatedAt;
                    if (Time(claim.UpdatedAt) > latest) latest = Time(claim.UpdatedAt);
                }
                // After each page, so that a restarted program misses nothing.
                Save(Text(latest));
                cursor = page.NextCursor;
            } while (cursor != null);
            await Task.Delay(PollInterval);
        }
    }

    static async Task Process(Claim claim, string nextAdjuster)
    {
        Console.WriteLine((claim.Assignment.Status + " " + claim.ExternalId + " " + claim.Assignment.RejectionReason).Trim());
        if (claim.Assignment.Status != "rejected") return;
        var key = "offer-" + claim.Id + "-" + claim.UpdatedAt; // one offer for each rejection
        var body = "{\"adjuster_svc_id\": \"" + nextAdjuster + "\"}";
        try
        {
            await Call<Claim>(HttpMethod.Post, "/v1/claims/" + claim.Id + "/assignment", body, key);
        }
        catch (InvalidOperationException wrong) // one claim must not stop the others: tell a person, and go on
        {
            Console.Error.WriteLine("not offered again: " + claim.ExternalId + " " + wrong.Message);
        }
    }

    /// <summary>Replaces the file at once: a program that is killed leaves no half of a position.</summary>
    static void Save(string position)
    {
        File.WriteAllText(PositionFile + ".new", position);
        if (File.Exists(PositionFile)) File.Replace(PositionFile + ".new", PositionFile, null);
        else File.Move(PositionFile + ".new", PositionFile);
    }

    /// <summary>The SVCIDs of the firm's test accounts by their behavior, such as accepts.</summary>
    static async Task<Dictionary<string, string>> TestAccounts()
    {
        var page = await Call<Page<Adjuster>>(HttpMethod.Get, "/v1/adjusters?limit=200");
        return page.Data.Where(one => one.Test).ToDictionary(one => one.SvcId.Split('_').Last(), one => one.SvcId);
    }

    static Task<Claim> SendClaim(string externalId, string adjuster)
    {
        var claim = @"{
            ""external_id"": """ + externalId + @""",
            ""claim_number"": ""FL-" + externalId + @""",
            ""adjuster_svc_id"": """ + adjuster + @""",
            ""loss"": {""date"": ""2026-08-27""},
            ""policy"": {""number"": ""87-4410029317-2025""},
            ""carrier"": {""name"": ""Palmetto Mutual Insurance""},
            ""loss_location"": {""street"": ""88 Mangrove Court"", ""city"": ""Sanibel"", ""state"": ""FL"", ""zip"": ""33957""},
            ""policyholder"": {""company_name"": ""Gulf Shore Rentals LLC"", ""phone"": ""239-555-0163""}
        }";
        // Derived from your own id, so that a restarted program repeats the same request.
        return Call<Claim>(HttpMethod.Post, "/v1/claims", claim, "send-" + externalId);
    }

    /// <summary>Sends a request and retries it with the same Idempotency-Key, so that nothing is done twice.</summary>
    static async Task<T> Call<T>(HttpMethod method, string path, string body = null, string idempotencyKey = null)
    {
        for (var attempt = 0; ; attempt++)
        {
            var waitSeconds = 0.0;
            string problem;
            try
            {
                var request = new HttpRequestMessage(method, Url + path);
                request.Headers.Add("Authorization", "Bearer " + Key);
                request.Headers.Add("Accept", "application/json");
                if (idempotencyKey != null) request.Headers.Add("Idempotency-Key", idempotencyKey);
                if (body != null) request.Content = new StringContent(body, Encoding.UTF8, "application/json");
                var response = await Http.SendAsync(request);
                var text = await response.Content.ReadAsStringAsync();
                if (response.IsSuccessStatusCode) return Parse<T>(text);
                var status = (int)response.StatusCode;
                problem = method + " " + path + ": " + status + " " + text;
                if (status < 500 && !new[] { 408, 425, 429 }.Contains(status)) throw new InvalidOperationException(problem);
                waitSeconds = RequestedWait(response);
            }
            catch (Exception lost) when (lost is HttpRequestException || lost is TaskCanceledException || lost is IOException)
            {
                problem = method + " " + path + ": " + lost.Message;
            }
            if (attempt == 7) throw new HttpRequestException(problem);
            waitSeconds += Jitter.NextDouble() * Math.Min(30, 0.5 * Math.Pow(2, attempt));
            await Task.Delay(TimeSpan.FromSeconds(waitSeconds));
        }
    }

    /// <summary>Seconds to wait. Retry-After is a number; from a gateway also a date, or sent twice ("5, 5").</summary>
    static double RequestedWait(HttpResponseMessage response)
    {
        IEnumerable<string> values;
        var value = response.Headers.TryGetValues("Retry-After", out values) ? values.First() : "";
        var digits = new string(value.TakeWhile(char.IsDigit).ToArray());
        if (digits != "") return double.Parse(digits, CultureInfo.InvariantCulture);
        DateTimeOffset at;
        if (DateTimeOffset.TryParse(value, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out at))
            return Math.Max(0, (at - DateTimeOffset.UtcNow).TotalSeconds);
        // A 429 without Retry-After comes from a proxy in front of the API and lasts a minute.
        return (int)response.StatusCode == 429 ? 60 : 0;
    }

    static T Parse<T>(string json)
    {
        using (var stream = new MemoryStream(Encoding.UTF8.GetBytes(json)))
            return (T)new DataContractJsonSerializer(typeof(T)).ReadObject(stream);
    }

    static DateTimeOffset Time(string text)
    {
        return DateTimeOffset.Parse(text, CultureInfo.InvariantCulture);
    }

    static string Text(DateTimeOffset time)
    {
        return time.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture);
    }
}
