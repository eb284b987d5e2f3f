#include "dotnet/clr_fields.h"

#include "dotnet/clr.h"

/*
 * Fields as "TYPE NAME" parted by blanks: u1 u2 u4 u8 i4 i8 numbers of so many bytes, f8 a double,
 * p an address, s a text, g a GUID. "[N" begins those of version N.
 */
struct kind {
	unsigned id;
	const char *name, *fields;
};

#define METHOD                                                                                     \
	"u8 MethodID u8 ModuleID u8 MethodStartAddress u4 MethodSize u4 MethodToken u4 "           \
	"MethodFlags"
#define METHOD_VERBOSE                                                                             \
	METHOD " s MethodNamespace s MethodName s MethodSignature [1 u2 ClrInstanceID [2 u8 "      \
	       "ReJITID"
#define MODULE                                                                                     \
	" u4 ModuleFlags u4 Reserved1 s ModuleILPath s ModuleNativePath [1 u2 ClrInstanceID [2 g " \
	"ManagedPdbSignature u4 ManagedPdbAge s ManagedPdbBuildPath g NativePdbSignature u4 "      \
	"NativePdbAge s NativePdbBuildPath"
#define WORKERS "u4 ActiveWorkerThreadCount u4 RetiredWorkerThreadCount u2 ClrInstanceID"
#define CLR	"u2 ClrInstanceID"

static const struct kind runtime_kinds[] = {
	{ 1, "GCStart",
	  "u4 Count [1 u4 Depth u4 Reason u4 Type u2 ClrInstanceID [2 u8 ClientSequenceNumber" },
	{ 2, "GCEnd", "u4 Count u4 Depth [1 u2 ClrInstanceID" },
	{ 3, "GCRestartEEEnd", CLR },
	{ 4, "GCHeapStats",
	  "u8 GenerationSize0 u8 TotalPromotedSize0 u8 GenerationSize1 u8 TotalPromotedSize1 u8 "
	  "GenerationSize2 u8 TotalPromotedSize2 u8 GenerationSize3 u8 TotalPromotedSize3 u8 "
	  "FinalizationPromotedSize u8 FinalizationPromotedCount u4 PinnedObjectCount u4 "
	  "SinkBlockCount u4 GCHandleCount [1 u2 ClrInstanceID [2 u8 GenerationSize4 u8 "
	  "TotalPromotedSize4" },
	{ 5, "GCCreateSegment", "u8 Address u8 Size u4 Type [1 u2 ClrInstanceID" },
	{ 6, "GCFreeSegment", "u8 Address [1 u2 ClrInstanceID" },
	{ 7, "GCRestartEEBegin", CLR },
	{ 8, "GCSuspendEEEnd", CLR },
	{ 9, "GCSuspendEEBegin", "u4 Reason [1 u4 Count u2 ClrInstanceID" },
	{ 10, "GCAllocationTick",
	  "u4 AllocationAmount u4 AllocationKind [1 u2 ClrInstanceID [2 u8 AllocationAmount64 p "
	  "TypeID s TypeName u4 HeapIndex [3 p Address [4 u8 ObjectSize" },
	{ 11, "GCCreateConcurrentThread", CLR },
	{ 12, "GCTerminateConcurrentThread", CLR },
	{ 13, "GCFinalizersEnd", "u4 Count [1 u2 ClrInstanceID" },
	{ 14, "GCFinalizersBegin", CLR },
	{ 15, "BulkType", "u4 Count u2 ClrInstanceID" },
	{ 16, "GCBulkRootEdge", "u4 Index u4 Count u2 ClrInstanceID" },
	{ 18, "GCBulkNode", "u4 Index u4 Count u2 ClrInstanceID" },
	{ 19, "GCBulkEdge", "u4 Index u4 Count u2 ClrInstanceID" },
	{ 23, "GCGenerationRange",
	  "u1 Generation p RangeStart u8 RangeUsedLength u8 RangeReservedLength u2 ClrInstanceID" },
	{ 29, "FinalizeObject", "p TypeID p ObjectID u2 ClrInstanceID" },
	{ 30, "SetGCHandle",
	  "p HandleID p ObjectID u4 Kind u4 Generation u8 AppDomainID u2 ClrInstanceID" },
	{ 31, "DestroyGCHandle", "p HandleID u2 ClrInstanceID" },
	{ 33, "PinObjectAtGCTime",
	  "p HandleID p ObjectID u8 ObjectSize s TypeName u2 ClrInstanceID" },
	{ 35, "GCTriggered", "u4 Reason u2 ClrInstanceID" },
	{ 39, "GCDynamicEvent", "s Name u4 DataSize" },
	{ 50, "ThreadPoolWorkerThreadStart", WORKERS },
	{ 51, "ThreadPoolWorkerThreadStop", WORKERS },
	{ 54, "ThreadPoolWorkerThreadAdjustmentSample", "f8 Throughput u2 ClrInstanceID" },
	{ 55, "ThreadPoolWorkerThreadAdjustmentAdjustment",
	  "f8 AverageThroughput u4 NewWorkerThreadCount u4 Reason u2 ClrInstanceID" },
	{ 56, "ThreadPoolWorkerThreadAdjustmentStats",
	  "f8 Duration f8 Throughput f8 ThreadWave f8 ThroughputWave f8 ThroughputErrorEstimate f8 "
	  "AverageThroughputErrorEstimate f8 ThroughputRatio f8 Confidence f8 NewControlSetting u2 "
	  "NewThreadWaveMagnitude u2 ClrInstanceID" },
	{ 57, "ThreadPoolWorkerThreadWait", WORKERS },
	{ 59, "ThreadPoolMinMaxThreads",
	  "u2 MinWorkerThreads u2 MaxWorkerThreads u2 MinIOCompletionThreads u2 "
	  "MaxIOCompletionThreads u2 ClrInstanceID" },
	{ 61, "ThreadPoolEnqueue", "p WorkID u2 ClrInstanceID" },
	{ 62, "ThreadPoolDequeue", "p WorkID u2 ClrInstanceID" },
	{ 80, "ExceptionThrown",
	  "[1 s ExceptionType s ExceptionMessage p ExceptionEIP u4 ExceptionHRESULT u2 "
	  "ExceptionFlags u2 ClrInstanceID" },
	{ 81, "ContentionStart",
	  "[1 u1 ContentionFlags u2 ClrInstanceID [2 p LockID p AssociatedObjectID u8 "
	  "LockOwnerThreadID" },
	{ 85, "ThreadCreated",
	  "u8 ManagedThreadID u8 AppDomainID u4 Flags u4 ManagedThreadIndex u4 OSThreadID u2 "
	  "ClrInstanceID" },
	{ 86, "ThreadTerminated", "u8 ManagedThreadID u8 AppDomainID [1 u2 ClrInstanceID" },
	{ 91, "ContentionStop", "u1 ContentionFlags u2 ClrInstanceID [1 f8 DurationNs" },
	{ 141, "MethodLoad", METHOD " [1 u2 ClrInstanceID [2 u8 ReJITID" },
	{ 142, "MethodUnload", METHOD " [1 u2 ClrInstanceID [2 u8 ReJITID" },
	{ 143, "MethodLoadVerbose", METHOD_VERBOSE },
	{ 144, "MethodUnloadVerbose", METHOD_VERBOSE },
	{ 145, "MethodJittingStarted",
	  "u8 MethodID u8 ModuleID u4 MethodToken u4 MethodILSize s MethodNamespace s MethodName s "
	  "MethodSignature [1 u2 ClrInstanceID" },
	{ 151, "DomainModuleLoad", "u8 ModuleID u8 AssemblyID u8 AppDomainID" MODULE },
	{ 152, "ModuleLoad", "u8 ModuleID u8 AssemblyID" MODULE },
	{ 153, "ModuleUnload", "u8 ModuleID u8 AssemblyID" MODULE },
	{ 154, "AssemblyLoad",
	  "u8 AssemblyID u8 AppDomainID [1 u8 BindingID [0 u4 AssemblyFlags s "
	  "FullyQualifiedAssemblyName "
	  "[1 u2 ClrInstanceID" },
	{ 187, "RuntimeInformation",
	  "u2 ClrInstanceID u2 Sku u2 BclMajorVersion u2 BclMinorVersion u2 BclBuildNumber u2 "
	  "BclQfeNumber u2 VMMajorVersion u2 VMMinorVersion u2 VMBuildNumber u2 VMQfeNumber u4 "
	  "StartupFlags u1 StartupMode s CommandLine g ComObjectGuid s RuntimeDllPath" },
	{ 190, "MethodILToNativeMap",
	  "u8 MethodID u8 ReJITID u1 MethodExtent u2 CountOfMapEntries" },
	{ 202, "GCMarkWithType", "u4 HeapNum u2 ClrInstanceID u4 Type u8 Bytes" },
	{ 204, "GCPerHeapHistory",
	  "[3 u2 ClrInstanceID p FreeListAllocated p FreeListRejected p EndOfSegAllocated p "
	  "CondemnedAllocated p PinnedAllocated p PinnedAllocatedAdvance u4 "
	  "RunningFreeListEfficiency "
	  "u4 CondemnReasons0 u4 CondemnReasons1 u4 CompactMechanisms u4 ExpandMechanisms u4 "
	  "HeapIndex p ExtraGen0Commit u4 Count" },
	{ 205, "GCGlobalHeapHistory",
	  "u8 FinalYoungestDesired i4 NumHeaps u4 CondemnedGeneration u4 Gen0ReductionCount u4 "
	  "Reason u4 GlobalMechanisms [1 u2 ClrInstanceID [2 u4 PauseMode u4 MemoryPressure [3 u4 "
	  "CondemnReasons0 u4 CondemnReasons1 [4 u4 Count" },
	{ 250, "ExceptionCatchStart", "u8 EntryEIP u8 MethodID s MethodName u2 ClrInstanceID" },
	{ 251, "ExceptionCatchStop", "" },
	{ 252, "ExceptionFinallyStart", "u8 EntryEIP u8 MethodID s MethodName u2 ClrInstanceID" },
	{ 253, "ExceptionFinallyStop", "" },
	{ 254, "ExceptionFilterStart", "u8 EntryEIP u8 MethodID s MethodName u2 ClrInstanceID" },
	{ 255, "ExceptionFilterStop", "" },
	{ 256, "ExceptionThrownStop", "" },
	{ 301, "WaitHandleWaitStart", "u1 WaitSource p AssociatedObjectID u2 ClrInstanceID" },
	{ 302, "WaitHandleWaitStop", CLR },
	{ 303, "AllocationSampled",
	  "u4 AllocationKind u2 ClrInstanceID p TypeID s TypeName p Address u8 ObjectSize u8 "
	  "SampledByteOffset" },
};

static const struct kind rundown_kinds[] = {
	{ 141, "MethodDCStart", METHOD " [1 u2 ClrInstanceID [2 u8 ReJITID" },
	{ 142, "MethodDCEnd", METHOD " [1 u2 ClrInstanceID [2 u8 ReJITID" },
	{ 143, "MethodDCStartVerbose", METHOD_VERBOSE },
	{ 144, "MethodDCEndVerbose", METHOD_VERBOSE },
	{ 146, "DCEndComplete", CLR },
	{ 148, "DCEndInit", CLR },
	{ 150, "MethodDCEndILToNativeMap",
	  "u8 MethodID u8 ReJITID u1 MethodExtent u2 CountOfMapEntries" },
	{ 152, "DomainModuleDCEnd", "u8 ModuleID u8 AssemblyID u8 AppDomainID" MODULE },
	{ 154, "ModuleDCEnd", "u8 ModuleID u8 AssemblyID" MODULE },
	{ 156, "AssemblyDCEnd",
	  "u8 AssemblyID u8 AppDomainID [1 u8 BindingID [0 u4 AssemblyFlags s "
	  "FullyQualifiedAssemblyName "
	  "[1 u2 ClrInstanceID" },
	{ 158, "AppDomainDCEnd",
	  "u8 AppDomainID u4 AppDomainFlags s AppDomainName [1 u4 AppDomainIndex u2 "
	  "ClrInstanceID" },
	{ 187, "RuntimeInformationDCStart",
	  "u2 ClrInstanceID u2 Sku u2 BclMajorVersion u2 BclMinorVersion u2 BclBuildNumber u2 "
	  "BclQfeNumber u2 VMMajorVersion u2 VMMinorVersion u2 VMBuildNumber u2 VMQfeNumber u4 "
	  "StartupFlags u1 StartupMode s CommandLine g ComObjectGuid s RuntimeDllPath" },
};

static const struct kind sampler_kinds[] = {
	{ 0, "ThreadSample", "u4 Type" },
};

static const struct kind *find(const struct nettrace_meta *m)
{
	static const struct {
		const char *provider;
		const struct kind *kinds;
		size_t count;
	} lists[] = {
		{ CLR_PROVIDER, runtime_kinds, ARRAY_SIZE(runtime_kinds) },
		{ CLR_RUNDOWN_PROVIDER, rundown_kinds, ARRAY_SIZE(rundown_kinds) },
		{ CLR_SAMPLER_PROVIDER, sampler_kinds, ARRAY_SIZE(sampler_kinds) },
	};

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		for (size_t k = 0; !strcmp(m->provider, lists[i].provider) && k < lists[i].count;
		     k++)
			if (lists[i].kinds[k].id == m->event_id)
				return &lists[i].kinds[k];
	return NULL;
}

static enum nettrace_code code_of(struct str type, unsigned pointer_bytes)
{
	static const struct {
		const char *text;
		enum nettrace_code code;
	} codes[] = {
		{ "u1", NETTRACE_U8 },	  { "u2", NETTRACE_U16 }, { "u4", NETTRACE_U32 },
		{ "u8", NETTRACE_U64 },	  { "i4", NETTRACE_I32 }, { "f8", NETTRACE_F64 },
		{ "s", NETTRACE_UTF16Z }, { "g", NETTRACE_GUID },
	};

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (str_eq_c(type, codes[i].text))
			return codes[i].code;
	return pointer_bytes == 4 ? NETTRACE_U32 : NETTRACE_U64;
}

static char *copy(struct arena *a, struct str s)
{
	char *text = arena_zalloc(a, s.len + 1);

	memcpy(text, s.ptr, s.len);
	return text;
}

void clr_describe(struct nettrace_meta *m, unsigned pointer_bytes, struct arena *a)
{
	const struct kind *k = find(m);
	struct str rest, type, name;
	struct nettrace_field *fields;
	unsigned since = 0;
	size_t n = 0;

	if (!k)
		return;
	if (!*m->name)
		m->name = k->name;
	if (m->fields.len)
		return;
	rest = str_from(k->fields);
	fields = arena_zalloc(a, (rest.len / 4 + 1) * sizeof(*fields));
	while (rest.len && str_split(&rest, ' ', &type)) {
		if (*type.ptr == '[') {
			since = (unsigned)(type.ptr[1] - '0');
			continue;
		}
		if (!str_split(&rest, ' ', &name))
			break;
		if (m->version >= since)
			fields[n++] = (struct nettrace_field){
				.name = copy(a, name),
				.type = { .code = code_of(type, pointer_bytes) },
			};
	}
	m->fields = (struct nettrace_fields){ fields, n };
}
