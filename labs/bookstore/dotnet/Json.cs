using System.Text.Json;
using System.Text.Json.Serialization;

namespace Bookstore;

public static class Json
{
    /// <summary>One instance for all: its metadata about types is built once.</summary>
    public static JsonSerializerOptions Shared { get; } = Create();

    /// <summary>
    /// An instance with metadata of its own. The converter is a new object too, so instances count as
    /// different from each other and the serializer cannot share its cache among them.
    /// </summary>
    public static JsonSerializerOptions Create() => new()
    {
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
        Converters = { new JsonStringEnumConverter() },
    };
}
