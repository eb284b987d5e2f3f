using System.Text.Encodings.Web;
using System.Text.Json;

namespace Bookstore;

/// <summary>The body of every answer that is not the one asked for: what was wrong, what would be right.</summary>
public sealed record Refusal(string Error, string Hint)
{
    public const int MaxBodyBytes = 16384;

    /// <summary>Hints quote JSON and are read by people: quotation marks stay as they are.</summary>
    public static JsonSerializerOptions Options { get; } =
        new(Json.Shared) { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    public static IResult Result(int status, string error, string hint) =>
        Results.Json(new Refusal(error, hint), Options, statusCode: status);

    public static IResult Result(int status) =>
        Results.Json(Of(status), Options, statusCode: status);

    /// <summary>For statuses that the framework sets without a body.</summary>
    public static Refusal Of(int status) => status switch
    {
        404 => new("there is no such route", "the routes are listed in labs/bookstore/README.md"),
        405 => new("the route does not take this method", "the header Allow names the one it takes"),
        413 => new("the body is too large", $"a cart fits into {MaxBodyBytes} bytes"),
        >= 500 => new("the service failed", "its standard error tells more"),
        _ => new("the request cannot be answered", Cart.Hint),
    };
}
